import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import { totalOf } from '../../base/sum.ts';
import type { FunnelRow } from '../../schemas/report.ts';
import type { Synthesis } from '../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../synthesis/records/candidate.ts';
import type { FactRecord, SourceDocument } from '../../synthesis/records/fact.ts';
import type { TasksetManifest } from '../../synthesis/records/tasksetManifest.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { plantedEnds } from '../support/synthesis/plantedEnds.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { modelAt, startSynthesisServer, synthesisProject } from './support/synthesisProject.ts';

interface Summary {
  readonly tasks: number;
  readonly funnel: readonly FunnelRow[];
  readonly spent: { readonly requests: number; readonly tokens: number };
}

async function synthesize(cwd: string, ...args: readonly string[]): Promise<Summary> {
  const { stdout } = await runWell(['synthesize', '--json', ...args], { cwd });
  return JSON.parse(stdout) as Summary;
}

function rowsOf<T>(path: string): T[] {
  const text = readFileSync(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

describe('tasks that are made from documents', () => {
  const cwd = synthesisProject(24, {}, sharedFolder());
  const taskset = join(cwd, 'runs/coa/taskset');
  let summary: Summary;

  beforeAll(async () => {
    summary = await synthesize(cwd);
  }, 120_000);

  test('are counted at every stage', () => {
    expect(summary.funnel.map(({ stage }) => stage)).toEqual([
      'documents',
      'facts',
      'seeds',
      'grow',
      'check',
      'choose',
      'write',
    ]);
    for (const { stage, entered, emitted, dropped, failed } of summary.funnel)
      expect(emitted + totalOf(dropped) + totalOf(failed), stage).toBe(entered);
    expect(summary.tasks).toBeGreaterThan(5);
  });

  test('have none of the faults of the model that makes them', async () => {
    const records = rowsOf<{ records: SourceDocument[] }>(join(cwd, 'runs/coa/documents/records.jsonl'));
    const server = await startSynthesisServer(
      undefined,
      records.flatMap((row) => row.records),
    );
    const faulty = synthesisProject(16, modelAt(server.baseUrl, 4));
    await synthesize(faulty);
    const ends = await plantedEnds(join(faulty, 'runs/coa'), server.planted);
    expect(ends.length).toBeGreaterThan(5);
    for (const row of ends) expect(row).toEqual({ ...row, found: row.planted });
  }, 120_000);

  test('are one manifest, and quotes that stand in the pages', () => {
    const manifest = JSON.parse(readFileSync(join(taskset, 'manifest.json'), 'utf8')) as TasksetManifest;
    const rows = rowsOf<{ synthesis: Synthesis }>(join(taskset, 'tasks.jsonl'));
    expect(rows.length).toBe(manifest.tasks);
    for (const { effort, form, hops } of rows.map(({ synthesis }) => synthesis)) {
      expect(effort).toMatchObject({
        tool_calls: expect.any(Number),
        tools_pass_rate: 1,
        closed_book_pass_rate: 0,
      });
      if (form.ask === 'value')
        expect(effort).toMatchObject({
          first_seen_at: expect.any(Number),
          one_search: hops > 2 ? false : expect.any(Boolean),
        });
    }
    const shown = rows.filter(({ synthesis }) => synthesis.effort.one_search);
    expect(manifest.shown_by_search).toEqual(shown.length > 0 ? { 2: shown.length } : {});
    const hashes = folderHashes(taskset);
    for (const { path, sha256 } of manifest.files) expect(hashes[path]).toBe(sha256);
    const texts = new Map(
      rowsOf<{ records: { address: string; text: string }[] }>(join(cwd, 'runs/coa/documents/records.jsonl'))
        .flatMap(({ records }) => records)
        .map(({ address, text }) => [address, text]),
    );
    for (const { quote, span, document } of rows.flatMap(({ synthesis }) => synthesis.chain))
      expect(texts.get(document)!.slice(...span)).toBe(quote);
  });

  test('have the same bytes whatever works at once, and again out of the cache alone', async () => {
    const other = synthesisProject(24, { concurrency: 1 });
    await synthesize(other);
    expect(folderHashes(join(other, 'runs/coa/taskset'))).toEqual(folderHashes(taskset));
    const again = await synthesize(cwd, '--from', 'facts', '--offline');
    expect(again.spent.requests).toBe(summary.spent.requests);
    expect(folderHashes(join(other, 'runs/coa/taskset'))).toEqual(folderHashes(taskset));
  }, 120_000);

  test('are solved by a run, whose rows say how each was made', async () => {
    await writeAnswerKey(join(cwd, 'coa.yaml'));
    const notGrounded = ['--set', 'filters.grounding.drop=false'];
    const solved = await runCli(['run', '--name', 'solved', '--json', ...notGrounded], { cwd });
    const { funnel } = JSON.parse(solved.stdout) as Summary;
    expect(funnel[0]).toMatchObject({ stage: 'tasks', entered: summary.tasks, emitted: summary.tasks });
    const judged = funnel.find(({ stage }) => stage === 'judge')!;
    expect(judged).toMatchObject({ entered: summary.tasks, emitted: summary.tasks });
    expect(funnel.at(-1)).toMatchObject({ stage: 'export', emitted: summary.tasks });
    const { stdout } = await runCli(['why', 'solved', '--json', 'train:0'], { cwd });
    const [story] = JSON.parse(stdout);
    expect(story.steps[0].records[0].synthesis.chain.length).toBeGreaterThan(0);
  }, 120_000);

  test('are forecast from some candidates', async () => {
    const early = await runCli(['forecast', 'coa.yaml', '--from-run', 'coa', '--json'], { cwd });
    // All of a run forecast that run, retries aside.
    expect(JSON.parse(early.stdout).requests.expected).toBeCloseTo(summary.spent.requests, 6);
    const some = ['--name', 'try', '--set', 'synthesize.seeds.candidates=40', '--until', 'check'];
    await synthesize(cwd, ...some);
    const forecast = await runCli(['forecast', 'coa.yaml', '--from-run', 'try', '--json'], { cwd });
    const { requests, tokens, seen, left } = JSON.parse(forecast.stdout);
    expect([seen, left]).toEqual([40, summary.funnel[2]!.emitted]);
    const { spent } = summary;
    for (const [{ low, expected, high }, took] of [
      [requests, spent.requests],
      [tokens, spent.tokens],
    ] as const) {
      expect(low).toBeLessThan(took);
      expect(high).toBeGreaterThan(took);
      expect(Math.abs(expected / took - 1)).toBeLessThan(0.2);
    }
  }, 120_000);

  test('are refused to `run` in the folder of the synthesis', async () => {
    const { code, stderr } = await runCli(['run'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('coa-distill synthesize');
  });
});

describe('pages of a list', () => {
  test('are read once, with their date, and again out of the cache; one that is missing is counted', async () => {
    const cwd = synthesisProject(4, { corpus: { pages: 'pages.txt' } });
    const addresses = readdirSync(join(cwd, 'site')).map((file) => `http://atlas.example/${file}`);
    writeFileSync(
      join(cwd, 'pages.txt'),
      ['# the atlas', ...addresses, '', 'http://atlas.example/none.html'].join('\n'),
    );
    const { funnel } = await synthesize(cwd, '--until', 'documents');
    expect(funnel[0]).toMatchObject({ entered: 5, emitted: 4, dropped: { unread_document: 1 } });
    const records = join(cwd, 'runs/coa/documents/records.jsonl');
    const first = readFileSync(records, 'utf8');
    const documents = rowsOf<{ records: SourceDocument[] }>(records).flatMap((row) => row.records);
    for (const { address, title, text, sha256, read_at } of documents) {
      expect(addresses).toContain(address);
      // Headings of some pages name the site too.
      expect([text.startsWith(`# ${title}`), title.includes('Atlas')]).toEqual([true, false]);
      expect(sha256).toBe(sha256Hex(text));
      expect(Date.parse(read_at!)).toBeGreaterThan(0);
    }
    await synthesize(cwd, '--until', 'documents', '--from', 'documents', '--offline');
    expect(readFileSync(records, 'utf8')).toBe(first);
  }, 60_000);

  test('may stand in the configuration', async () => {
    const pages = ['http://atlas.example/a-cup-of-rain.html', 'http://atlas.example/none.html'];
    const cwd = synthesisProject(4, { corpus: { pages } });
    const { funnel } = await synthesize(cwd, '--until', 'documents');
    expect(funnel[0]).toMatchObject({ entered: 2, emitted: 1, dropped: { unread_document: 1 } });
  }, 60_000);

  test.each([
    ['a line that is not an address', 'http://atlas.example/\nftp://atlas.example/a\n', 'pages.txt: line 2'],
    ['a list without addresses', '# none yet\n', 'pages.txt: expected addresses'],
  ])('are refused for %s', async (_, text, problem) => {
    const cwd = synthesisProject(1, { corpus: { pages: 'pages.txt' } });
    writeFileSync(join(cwd, 'pages.txt'), text);
    const { code, stderr } = await runCli(['synthesize'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe('seed tasks', () => {
  test('become questions by the facts that give their answers, and other documents make them harder', async () => {
    const cwd = synthesisProject(16);
    await synthesize(cwd, '--until', 'facts', '--name', 'known');
    const records = <T>(stage: string, run = 'coa') =>
      rowsOf<{ records: T[] }>(join(cwd, `runs/${run}/${stage}/records.jsonl`)).flatMap((row) => row.records);
    const documents = new Map(records<SourceDocument>('documents', 'known').map((one) => [one.address, one]));
    // Every fifth fact is asked for: of a page by its address, of another by its text.
    const asked = records<FactRecord>('facts', 'known')
      .filter(({ fact }, at) => at % 5 === 0 && fact.span[0] >= 0)
      .map(({ fact: { subject, relation, value, document } }, at) => {
        const { title, text } = documents.get(document)!;
        const task = { question: `What is the ${relation} of ${subject}?`, answer: value };
        return { ...task, ...(at % 2 === 0 ? { url: document } : { evidence: { title, text } }) };
      });
    const rows = [...asked, { question: 'Who is it?', answer: 'nobody' }];
    writeFileSync(join(cwd, 'seeds.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const corpus = ['corpus.tasks=seeds.jsonl', 'seeds.per_document=4'];
    const { funnel, tasks } = await synthesize(
      cwd,
      ...corpus.flatMap((setting) => ['--set', `synthesize.${setting}`]),
    );
    const stage = (name: string) => funnel.find((row) => row.stage === name)!;
    expect(stage('documents').dropped.unread_document).toBeGreaterThan(0);
    expect(stage('seeds').dropped.not_asked).toBeGreaterThan(stage('seeds').emitted);
    expect(tasks).toBeGreaterThan(3);
    const answers = new Set(asked.map(({ answer }) => answer));
    expect(new Set(records<Candidate>('seeds').map((candidate) => candidate.answers[0]))).toEqual(answers);
    const { stdout } = await runCli(['why', 'coa', '--json', records<Candidate>('write')[0]!.id], { cwd });
    expect(stdout).toContain('"op"');
  }, 120_000);

  test.each([
    ['no answer', { question: 'Who?', url: 'http://atlas.example/x.html' }, 'seeds.jsonl'],
    ['an address of another kind', { question: 'Who?', answer: 'a', url: 'ftp://x' }, 'row 1: url: expected'],
    ['evidence of another kind', { question: 'Who?', answer: 'a', evidence: 7 }, 'row 1: expected url'],
  ])('are refused with %s', async (_, row, problem) => {
    const cwd = synthesisProject(1, { corpus: { tasks: 'seeds.jsonl' } });
    writeFileSync(join(cwd, 'seeds.jsonl'), JSON.stringify(row));
    const { code, stderr } = await runCli(['synthesize'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
