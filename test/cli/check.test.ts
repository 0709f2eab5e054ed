import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import { checkTotalsSchema, type Finding, findingSchema } from '../../output/check/rules.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { AfmRow } from '../../schemas/trainers/afmMask.ts';
import { type IdRow, plantFault, rowsOf } from '../output/check/support/plantFault.ts';
import { convertedTrajectories, sampleDataset } from '../output/check/support/sampleDataset.ts';
import { alpacaRow, cleanText, spoiltText } from '../support/datasetRows.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runCli } from './support/runCli.ts';

const parquet = 'verl/sft.parquet';
const hostile = '\u001b[2J\u202e';

/** A dataset in whose second row everything is trained from the first observation on. */
async function faultyDataset(): Promise<string> {
  const folder = await sampleDataset(convertedTrajectories(6));
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
    expect((await runCli(['check', 'data/rows.jsonl'], { cwd })).code).toBe(0);
  });

  test('files that are links are read', async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'snapshot'));
    writeFileSync(path.join(cwd, 'blob'), chats);
    symlinkSync('../blob', path.join(cwd, 'snapshot/rows.jsonl'));
    expect((await runCli(['check', 'snapshot'], { cwd })).stdout).toMatch(/rows\.jsonl .*1 rows?/);
  });

  test('a file that lost all its rows is a finding, and the others are still read', async () => {
    const dataset = await sampleDataset();
    writeFileSync(path.join(dataset, 'llama_factory/train.jsonl'), '');
    const { code, stdout } = await runCli(['check', dataset, '--json'], { cwd: temporaryFolder() });
    const rules = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Finding).rule);
    expect(rules).toEqual(expect.arrayContaining(['file_changed', 'missing_row', 'wrong_counts']));
    expect(stdout).toContain('sft.parquet');
    expect(code).toBe(1);
  });

  test('a file that breaks off is a finding, and the others are still read', async () => {
    const dataset = await sampleDataset();
    const file = path.join(dataset, 'afm/sample.json');
    writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}edited\n`);
    const { code, stdout } = await runCli(['check', dataset], { cwd: temporaryFolder() });
    expect(stdout).toMatch(/sample\.json: error broken_row: .*expected nothing after the closing \]/);
    expect(stdout).toMatch(/sft\.parquet \(tokens\)\neach: 6 rows/);
    expect(code).toBe(1);
  });

  test('the trajectories alone have no mask, and their text is checked', async () => {
    const file = path.join(await sampleDataset(convertedTrajectories(6)), 'trajectories.jsonl');
    const { code, stdout } = await runCli(['check', file], { cwd: temporaryFolder() });
    expect(stdout).toContain('6 rows, 0 with their tokens');
    expect(stdout).toContain('profiles: mhqa 6 (0 guessed)');
    expect(code).toBe(0);
  });

  test('a pipe beside rows is a finding, and is not read', async () => {
    const dataset = await sampleDataset();
    const card = path.join(dataset, 'README.md');
    rmSync(card);
    execFileSync('mkfifo', [card]);
    const { code, stdout } = await runCli(['check', dataset], { cwd: temporaryFolder() });
    expect(stdout).toContain('README.md: error file_changed: it is not a plain file');
    expect(code).toBe(1);
  });
});

describe('coa-distill check', () => {
  test('prints shares by tag, once where all formats agree, and exits with 0 where nothing is wrong', async () => {
    const dataset = await sampleDataset(convertedTrajectories(6));
    const { code, stdout } = await runCli(['check', dataset], { cwd: temporaryFolder() });
    expect(stdout).toMatch(
      /sample\.json \(alpaca\)\n(?:\S+ \(\w+\)\n)+each: 6 rows, 2,034 tokens, 29\.8 % in the loss\n/,
    );
    expect(stdout.match(/observation /g)).toHaveLength(1);
    expect(stdout).toMatch(/observation +\d+ +0\.0 %/);
    expect(stdout).toMatch(/think +\d+ +100\.0 %/);
    expect(stdout).toMatch(/\nnothing found\n$/);
    expect(code).toBe(0);
  });

  test('names row, token and its neighbours, and exits with 1', async () => {
    const dataset = await faultyDataset();
    const { code, stdout } = await runCli(['check', path.join(dataset, 'verl')], { cwd: temporaryFolder() });
    expect(stdout).toMatch(
      /sft\.parquet, row 2, token \d+: error observation_trained: the loss takes in words that a tool wrote \(first in <observation>\) \(\d+ tokens\)\n {4}.*<\/wiki_search>\\n>>><<<<observation>/,
    );
    expect(stdout).toMatch(/\nobservation_trained +error +1\n/);
    expect(code).toBe(1);
  });

  test('prints JSON lines of the documented form, the totals last', async () => {
    const { stdout } = await runCli(['check', await faultyDataset(), '--json'], { cwd: temporaryFolder() });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const { totals } = lines.pop() as { totals: unknown };
    const findings: Finding[] = lines.map((line) => findingSchema.parse(line));
    expect(findings.map(({ rule, row }) => [rule, row])).toEqual([
      ['observation_trained', 2],
      ['wrong_counts', null],
    ]);
    expect(checkTotalsSchema.parse(totals)).toMatchObject({
      findings: 2,
      errors: 2,
      by_rule: { observation_trained: 1 },
    });
  });

  test('checks a run by its name', async () => {
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
    writeFileSync(path.join(cwd, 'runs/mine/run.json'), sealedFile(run));
    const { code, stdout } = await runCli(['check', 'mine', '--sample', '2'], { cwd });
    expect(stdout).toContain('6 rows, 2 with their tokens');
    expect(code).toBe(0);
  });

  test('passes over what holds no rows in a folder of many files, and says so', async () => {
    const cwd = temporaryFolder();
    const rows = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    mkdirSync(path.join(cwd, 'data'));
    writeFileSync(path.join(cwd, 'data/sft.json'), JSON.stringify(rows));
    writeFileSync(path.join(cwd, 'data/notes.jsonl'), '{"a": 1}\n');
    const { code, stderr } = await runCli(['check', 'data'], { cwd });
    expect(stderr).toMatch(/^passed over: data\/notes\.jsonl row 1: expected /m);
    expect(code).toBe(0);
  });

  test("reads anyone's rows", async () => {
    const cwd = temporaryFolder();
    const rows = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    writeFileSync(path.join(cwd, 'sft.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(await runCli(['check', 'sft.jsonl'], { cwd })).toMatchObject({ code: 0 });
  });

  test('no text of a row acts in the terminal', async () => {
    const cwd = temporaryFolder();
    const [row] = await rowsOf<AfmRow>(await sampleDataset(), 'afm/sample.json');
    const output = row!.output.replace('\n<observation>', ' <observation>').replace('people', hostile);
    writeFileSync(path.join(cwd, 'sft.json'), JSON.stringify([{ ...row, output }]));
    const { code, stdout } = await runCli(['check', 'sft.json'], { cwd });
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
    expect((await runCli(['check', 'sft.jsonl'], { cwd })).stdout).toContain(
      'error unclear_tag: <information> is a tag of no known profile',
    );
    const told = await runCli(['check', 'sft.jsonl', '--observation-tag', 'information'], { cwd });
    expect(told.stdout).toContain('error observation_trained: the loss takes in words that a tool wrote');
    expect(told.code).toBe(1);
  });

  test('--observation-tag is refused where the dataset itself tells the tag', async () => {
    const cwd = temporaryFolder();
    const own = await runCli(['check', await sampleDataset(), '--observation-tag', 'information'], { cwd });
    expect(own.stderr).toMatch(/^error: --observation-tag information: .* is a dataset of coa-distill/);
    expect(own.code).toBe(2);
  });

  test('names the place of a fault of a text, the side of a pair, and sums up', async () => {
    const cwd = temporaryFolder();
    const rows = `${JSON.stringify({ prompt: 'Who?', chosen: cleanText, rejected: spoiltText })}\n`;
    writeFileSync(path.join(cwd, 'pairs.jsonl'), rows);
    const { stdout, code } = await runCli(['check', 'pairs.jsonl'], { cwd });
    expect(stdout).toMatch(/^pairs\.jsonl, row 1 \(line 1\), rejected, text 4:34: warning wrong_layout: /m);
    expect(stdout).not.toMatch(/, chosen, text/);
    expect(stdout).toMatch(/^wrong_layout +warning +1$/m);
    expect(stdout).toMatch(/^4 errors, 1 warning$/m);
    expect(code).toBe(1);
  });

  test('exits with 0 when warnings are all there is', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'sft.json'), JSON.stringify([alpacaRow(`${cleanText}\n`)]));
    const { code, stdout } = await runCli(['check', 'sft.json'], { cwd });
    expect(stdout).toContain('warning wrong_layout');
    expect(code).toBe(0);
  });

  test('takes several files, each with its own rows', async () => {
    const cwd = temporaryFolder();
    const messages = [
      { role: 'user', content: 'Which?' },
      { role: 'assistant', content: '<think>t</think>\n<answer>1</answer>' },
    ];
    writeFileSync(path.join(cwd, 'a.json'), JSON.stringify([alpacaRow(cleanText)]));
    writeFileSync(path.join(cwd, 'm.jsonl'), JSON.stringify({ messages }));
    const { code, stdout } = await runCli(['check', 'a.json', 'm.jsonl'], { cwd });
    expect(stdout).toMatch(/^a\.json \(alpaca\): 1 row,/m);
    expect(stdout).toMatch(/^m\.jsonl \(messages\): 1 row,/m);
    expect(code).toBe(0);
  });
});
