import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AuditFinding, auditFindingSchema, auditTotalsSchema } from '../../schemas/audit.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { AfmRow } from '../../schemas/trainers/afmMask.ts';
import { type IdRow, plantFault, rowsOf } from '../output/audit/support/plantFault.ts';
import { sampleDataset } from '../output/audit/support/sampleDataset.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runCli } from './support/runCli.ts';

const parquet = 'verl/sft.parquet';
const hostile = '\u001b[2J\u202e';

/** A dataset in whose second row everything is trained from the first observation on. */
async function faultyDataset(): Promise<string> {
  const folder = await sampleDataset();
  await plantFault<IdRow>(folder, parquet, (rows) => {
    const mask = rows[1]!.loss_mask!;
    return rows.with(1, { ...rows[1]!, loss_mask: mask.map((bit, at) => (at > mask.indexOf(1) ? 1 : bit)) });
  });
  return folder;
}

describe('what lies around rows', () => {
  const chats = `${JSON.stringify({
    messages: [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: '<think>t</think>\n<answer>1</answer>' },
    ],
  })}\n`;

  test('a manifest.json of something else is no dataset’s', async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'data'));
    writeFileSync(path.join(cwd, 'manifest.json'), '{"name": "my web app"}');
    writeFileSync(path.join(cwd, 'data/rows.jsonl'), chats);
    expect((await runCli(['audit', 'data/rows.jsonl'], { cwd })).stderr).toBe('');
  });

  test('files that are links are read', async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'snapshot'));
    writeFileSync(path.join(cwd, 'blob'), chats);
    symlinkSync('../blob', path.join(cwd, 'snapshot/rows.jsonl'));
    expect((await runCli(['audit', 'snapshot'], { cwd })).stdout).toMatch(/rows\.jsonl .*1 rows?/);
  });

  test('a file that lost all its rows is a finding, and the others are still read', async () => {
    const dataset = await sampleDataset();
    writeFileSync(path.join(dataset, 'llama_factory/train.jsonl'), '');
    const { code, stdout } = await runCli(['audit', dataset, '--json'], { cwd: temporaryFolder() });
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as AuditFinding).kind);
    expect(kinds).toEqual(expect.arrayContaining(['file_changed', 'missing_row', 'wrong_counts']));
    expect(stdout).toContain('sft.parquet');
    expect(code).toBe(1);
  });

  test('a file that breaks off is a finding, and the others are still read', async () => {
    const dataset = await sampleDataset();
    const file = path.join(dataset, 'afm/sample.json');
    writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}edited\n`);
    const { code, stdout } = await runCli(['audit', dataset], { cwd: temporaryFolder() });
    expect(stdout).toMatch(/sample\.json: bad_row: .*expected nothing after the closing \]/);
    expect(stdout).toMatch(/sft\.parquet \(tokens\)\neach: 6 rows/);
    expect(code).toBe(1);
  });

  test('the trajectories alone have no mask', async () => {
    const file = path.join(await sampleDataset(), 'trajectories.jsonl');
    const { code, stderr } = await runCli(['audit', file], { cwd: temporaryFolder() });
    expect(stderr).toMatch(/the other formats are held against; name the dataset folder/);
    expect(code).toBe(2);
  });
});

describe('coa-distill audit', () => {
  test('prints shares by tag, once where all formats agree, and exits with 0 where nothing is wrong', async () => {
    const dataset = await sampleDataset();
    const { code, stdout, stderr } = await runCli(['audit', dataset], { cwd: temporaryFolder() });
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /sample\.json \(alpaca\)\n(?:\S+ \(\w+\)\n)+each: 6 rows, 1,998 tokens, 30\.3 % in the loss\n/,
    );
    expect(stdout.match(/observation /g)).toHaveLength(1);
    expect(stdout).toMatch(/observation +\d+ +0\.0 %/);
    expect(stdout).toMatch(/think +\d+ +100\.0 %/);
    expect(stdout).toMatch(/\nno difference found\n$/);
    expect(code).toBe(0);
  });

  test('names row, token and its neighbours, and exits with 1', async () => {
    const dataset = await faultyDataset();
    const { code, stdout } = await runCli(['audit', path.join(dataset, 'verl')], { cwd: temporaryFolder() });
    expect(stdout).toMatch(
      /sft\.parquet, row 2, token \d+: observation_trained: the loss takes in words that a tool wrote \(first in <observation>\) \(\d+ tokens\)\n {4}.*<\/wiki_search>\\n>>><<<<observation>/,
    );
    expect(stdout).toContain('  observation_trained: 1\n');
    expect(code).toBe(1);
  });

  test('prints JSON lines of the documented form, the totals last', async () => {
    const { stdout } = await runCli(['audit', await faultyDataset(), '--json'], { cwd: temporaryFolder() });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const { totals } = lines.pop() as { totals: unknown };
    const findings: AuditFinding[] = lines.map((line) => auditFindingSchema.parse(line));
    expect(findings.map(({ kind, row }) => [kind, row])).toEqual([
      ['observation_trained', 2],
      ['wrong_counts', null],
    ]);
    expect(auditTotalsSchema.parse(totals)).toMatchObject({
      findings: 2,
      by_kind: { observation_trained: 1 },
    });
  });

  test('audits a run by its name', async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'runs/mine'), { recursive: true });
    renameSync(await sampleDataset(), path.join(cwd, 'runs/mine/dataset'));
    // Whose profiles are the built-in ones.
    const run: RunFile = {
      format_version: 1,
      name: 'mine',
      created_at: '2026-11-21T00:00:00Z',
      coa_distill_version: '0.0.0',
      node_version: 'v24.0.0',
      seed: 0,
      config_file: 'coa.yaml',
      dataset_name: 'mine',
      config: {},
      shaping: {},
      config_hash: 'config_0',
      stage_hashes: {},
    };
    writeFileSync(path.join(cwd, 'runs/mine/run.json'), JSON.stringify(run));
    const { code, stdout, stderr } = await runCli(['audit', 'mine', '--sample', '2'], { cwd });
    expect(stderr).toBe('');
    expect(stdout).toContain('6 rows, 2 looked into');
    expect(code).toBe(0);
  });

  test('passes over what holds no rows in a folder of many files, and says so', async () => {
    const cwd = temporaryFolder();
    const rows = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    mkdirSync(path.join(cwd, 'data'));
    writeFileSync(path.join(cwd, 'data/sft.json'), JSON.stringify(rows));
    writeFileSync(path.join(cwd, 'data/notes.jsonl'), '{"a": 1}\n');
    const { code, stderr } = await runCli(['audit', 'data'], { cwd });
    expect(stderr).toMatch(/^passed over: data\/notes\.jsonl row 1: expected .*\n$/);
    expect(code).toBe(0);
  });

  test("reads anyone's rows", async () => {
    const cwd = temporaryFolder();
    const rows = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    writeFileSync(path.join(cwd, 'sft.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(await runCli(['audit', 'sft.jsonl'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  test('no text of a row acts in the terminal', async () => {
    const cwd = temporaryFolder();
    const [row] = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    const output = row!.output.replace('\n<observation>', ' <observation>').replace('people', hostile);
    writeFileSync(path.join(cwd, 'sft.json'), JSON.stringify([{ ...row, output }]));
    const { code, stdout } = await runCli(['audit', 'sft.json'], { cwd });
    expect(code).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys them
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  test('--observation-tag says in which tag of other people’s rows tools speak', async () => {
    const cwd = temporaryFolder();
    const content =
      '<think>t</think>\n<search>q</search>\n<information>i</information>\n<think>u</think>\n<answer>1</answer>';
    const messages = [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content },
    ];
    writeFileSync(path.join(cwd, 'sft.jsonl'), `${JSON.stringify({ messages })}\n`);
    expect((await runCli(['audit', 'sft.jsonl'], { cwd })).stdout).toContain(
      'unknown_tag: <information> is a tag of no known profile',
    );
    const told = await runCli(['audit', 'sft.jsonl', '--observation-tag', 'information'], { cwd });
    expect(told.stdout).toContain('observation_trained: the loss takes in words that a tool wrote');
    expect(told.code).toBe(1);
  });

  test('--observation-tag is refused where the dataset itself tells the tag', async () => {
    const cwd = temporaryFolder();
    const own = await runCli(['audit', await sampleDataset(), '--observation-tag', 'information'], { cwd });
    expect(own.stderr).toMatch(/^error: --observation-tag information: .* is a dataset of coa-distill/);
    expect(own.code).toBe(2);
  });

  test('a relative --python is meant from here, not from where the trainer runs', async () => {
    const cwd = temporaryFolder();
    // Stands for a Python that has every module, and for a trainer whose preprocessing gives no row.
    const stand = '#!/bin/sh\n[ "$1" = -I ] || printf \'{"version": "1.0"}\\n\' > "$3"\n';
    mkdirSync(path.join(cwd, 'env/bin'), { recursive: true });
    writeFileSync(path.join(cwd, 'env/bin/python'), stand, { mode: 0o755 });
    const dataset = await sampleDataset(undefined, { formats: ['hugging_face'] });
    const args = ['audit', dataset, '--with', 'trl', '--python', 'env/bin/python'];
    const { code, stdout, stderr } = await runCli(args, { cwd });
    expect(stderr).toBe('');
    expect(stdout).toContain('trl 1.0 on');
    expect(code).toBe(1);
  });
});
