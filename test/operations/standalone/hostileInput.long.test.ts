import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { finished, runCli, startCli } from '../../cli/support/runCli.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';
import { readLedgerFile } from './support/shapeInProcess.ts';
import { searchedRow } from './support/standaloneRows.ts';

const asked = (question: string, more: object = {}) => `${JSON.stringify({ question, ...more })}\n`;
const questions = ['harbour', 'mountain', 'lighthouse'].map((word) =>
  asked(`Who built the old ${word} that the guide of the whole island speaks of?`),
);
const content = questions.join('');

function project(files: Readonly<Record<string, string>> = { 'in.jsonl': content }) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8');
  return { cwd, read, run: (...args: string[]) => runCli(args, { cwd }) };
}

describe('a pipe that holds something else', () => {
  test.each([
    ['a list', Buffer.from(`\ufeff [${questions[0]}]`), 'found a JSON list; name the file instead'],
    ['gzip', gzipSync(content), 'found a gzip file; name the file instead'],
    [
      'parquet',
      readFileSync(testDataPath('tasks/aime24.parquet')),
      'found a parquet file; name the file instead',
    ],
  ])('%s is named', async (_, bytes, words) => {
    const { cwd } = project();
    for (const command of ['filter', 'dedup']) {
      const child = startCli([command, '-', '--out', 'o.jsonl', '--on-bad-row', 'drop'], { cwd });
      child.stdin!.on('error', () => {});
      child.stdin!.end(bytes);
      const { code, stderr } = await finished(child);
      expect(stderr).toBe(`error: standard input: expected JSON lines, ${words}\n`);
      expect(code).toBe(2);
      expect(readdirSync(cwd)).toEqual(['in.jsonl']);
    }
  });
});

test('nothing, line ends of Windows, a byte order mark and a last line without an end', async () => {
  const { cwd, run, read } = project({
    'odd.jsonl': `\ufeff${content.replaceAll('\n', '\r\n')}`.trimEnd(),
  });
  expect(await run('dedup', 'odd.jsonl', '--out', 'o.jsonl')).toMatchObject({ code: 0, stderr: '' });
  expect(read('o.jsonl')).toBe(content);
  const none = await runCli(['dedup', '-', '--out', 'none.jsonl', '--json'], { cwd, stdin: '' });
  expect(JSON.parse(none.stdout)).toMatchObject({ rows_in: 0, kept: 0 });
  expect(read('none.jsonl')).toBe('');
});

test('a reader that goes away leaves no file behind', async () => {
  const { cwd } = project({
    'in.jsonl': Array.from({ length: 3_000 }, (_, n) => asked(`Who is ${n}?`, { pad: 'x'.repeat(999) })).join(
      '',
    ),
  });
  const child = startCli(['dedup', 'in.jsonl', '--out', '-', '--ledger', 'why.jsonl'], { cwd });
  child.stdout!.once('data', () => child.stdout!.destroy());
  await once(child, 'close');
  expect(readdirSync(cwd)).toEqual(['in.jsonl']);
});

test('files that killed commands left are removed by the next one, those of living ones are not', async () => {
  const { cwd, run } = project();
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const name = (pid: number) => `.o.jsonl.${hostname()}.${pid}.tmp`;
  for (const pid of [gone, process.pid]) writeFileSync(path.join(cwd, name(pid)), 'half');
  writeFileSync(path.join(cwd, `.other.jsonl.${hostname()}.${gone}.tmp`), 'half');
  expect((await run('dedup', 'in.jsonl', '--out', 'o.jsonl')).code).toBe(0);
  expect(readdirSync(cwd).filter((file) => file.startsWith('.'))).toEqual([
    name(process.pid),
    `.other.jsonl.${hostname()}.${gone}.tmp`,
  ]);
});

describe('what would be lost', () => {
  test.each([
    [['--out', 'pipe'], '--out pipe: it is not a plain file'],
    [['--out', 'o.jsonl', '--ledger', 'pipe'], '--ledger pipe: it is not a plain file'],
  ])('%j is refused', async (args, words) => {
    const { cwd, run } = project();
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    const { code, stderr } = await run('dedup', 'in.jsonl', ...args);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
    expect(readdirSync(cwd).sort()).toEqual(['in.jsonl', 'pipe']);
    const piped = await run('dedup', 'pipe', '--out', 'o.jsonl');
    expect(piped.stderr).toContain('pipe: not a plain file');
  });

  test('--out may be what is read', async () => {
    const { run, read } = project({ 'in.jsonl': content + questions[0] });
    expect((await run('dedup', 'in.jsonl', 'in.jsonl', '--out', 'in.jsonl')).code).toBe(0);
    expect(read('in.jsonl')).toBe(content);
  });
});

describe('sampling', () => {
  const rows = ['a', 'a', 'a', 'b'].map((source, n) =>
    JSON.stringify(searchedRow(`town ${n}?`, 1, { source })),
  );
  const files = { 'in.jsonl': `${rows.join('\n')}\n` };
  const rule = 'balance.rules=[{rule: temperature, by: [source], temperature: 5, how: weight}]';
  const weigh = ['balance', 'in.jsonl', '--set', rule];

  test('weights are not lost in a pipe', async () => {
    const { stderr, code } = await project(files).run(...weigh, '--out', '-');
    expect(stderr).toContain('--out -: weights of rows stand in a file beside the rows; name a file');
    expect(code).toBe(2);
  });

  test('a file of an earlier command does not stay', async () => {
    const { cwd, run } = project(files);
    await run(...weigh, '--out', 'o.jsonl');
    expect(existsSync(path.join(cwd, 'o.jsonl.sampling.jsonl'))).toBe(true);
    await run('balance', 'in.jsonl', '--cap', '2', '--out', 'o.jsonl');
    expect(existsSync(path.join(cwd, 'o.jsonl.sampling.jsonl'))).toBe(false);
  });

  test('a row can be repeated a hundred thousand times', async () => {
    const { run, read } = project({ 'in.jsonl': `${rows[0]}\n` });
    const rule =
      '[{rule: temperature, by: [source], temperature: 1, how: repeat, total: 100000, max_repeats: 100000}]';
    const { code, stdout } = await run(
      'balance',
      'in.jsonl',
      '--set',
      `balance.rules=${rule}`,
      '--out',
      'o.jsonl',
    );
    expect(stdout).toContain('written as 100,000');
    expect(code).toBe(0);
    expect(read('o.jsonl').split('\n')).toHaveLength(100_001);
  });
});

test('files in AFM’s layouts are read by their prompts', async () => {
  const { cwd, run } = project({});
  for (const name of ['math500', 'aime24', 'livecodebench_v4']) {
    const file = testDataPath(`tasks/${name}.parquet`);
    const { stdout, stderr } = await run(
      'decontaminate',
      file,
      '--against',
      file,
      '--out',
      'o.jsonl',
      '--json',
    );
    expect(stderr).toBe('');
    const { rows_in, kept } = JSON.parse(stdout);
    expect(rows_in).toBeGreaterThan(5);
    expect(kept).toBe(0);
  }
  expect(readLedgerFile(path.join(cwd, 'o.jsonl.ledger.jsonl'))[0]).toMatchObject({
    reason: 'contaminated',
  });
});

test('rows without a verdict are counted, since none of them can be wrong', async () => {
  const { run } = project({ 'in.jsonl': `${JSON.stringify(searchedRow('town?', 3))}\n` });
  const { stdout } = await run('filter', 'in.jsonl', '--out', 'o.jsonl');
  expect(stdout).toContain('1 rows hold no verdict on their answer: wrong_answer can');
  const json = await run('filter', 'in.jsonl', '--out', 'o.jsonl', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ rows_in: 1, without_verdict: 1 });
});

test('a question of a benchmark file that is the task file, of one word, and of a million characters', async () => {
  const long = `${'who knows the way to the old town ? '.repeat(28_000)}`;
  const { run, cwd } = project({ 'in.jsonl': asked('Why?') + asked(long) + asked('Why not?') });
  mkdirSync(path.join(cwd, 'b'));
  writeFileSync(path.join(cwd, 'b/bench.jsonl'), asked('Why?') + asked(long));
  const { stdout } = await run('decontaminate', 'in.jsonl', '--against', 'b', '--out', 'o.jsonl', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ rows_in: 3, kept: 1, dropped: { contaminated: 2 } });
  const same = await run('decontaminate', 'in.jsonl', '--against', 'in.jsonl', '--out', 'o.jsonl', '--json');
  expect(JSON.parse(same.stdout)).toMatchObject({ rows_in: 3, kept: 0 });
});
