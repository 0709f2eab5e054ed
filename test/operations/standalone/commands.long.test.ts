import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { finished, runCli, runWell, startCli } from '../../cli/support/runCli.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { readLedgerFile } from './support/shapeInProcess.ts';
import { oddLine, searchedRow } from './support/standaloneRows.ts';

const lines = Array.from({ length: 40 }, (_, n) =>
  oddLine(searchedRow(`town ${n}?`, 1 + (n % 5), { source: `s${n % 3}` })),
);
const content = lines.map((line) => `${line}\n`).join('');

function project(files: Readonly<Record<string, string>> = { 'in.jsonl': content }) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8');
  return { cwd, read, run: (...args: string[]) => runCli(args, { cwd }) };
}

/** Whether a process holds a temporary file without a name open, such as a pipe that is read twice. */
function isSpooling(pid: number, spool: string): boolean {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(path.join(folder, descriptor));
    } catch {
      return '';
    }
  });
  return files.some((file) => file.startsWith(spool) && file.endsWith(' (deleted)'));
}

/** Whether a command is in the midst of its rows. */
const hasBegun = (pid: number, cwd: string, spool: string) =>
  readdirSync(cwd).some((name) => name.endsWith('.tmp')) || isSpooling(pid, spool);

const benchmark = `${JSON.stringify({ problem: 'Which river flows past the old town of Harrow on the northern coast?', answer: '1', level: 1, subject: 'a', unique_id: 'x' })}\n`;

describe.each([
  ['dedup', []],
  ['filter', []],
  ['balance', ['--by', 'source', '--cap', '5']],
  [
    'decontaminate',
    ['--set', 'decontaminate.benchmarks=[{path: bench.jsonl, columns: {question: problem}}]'],
  ],
])('coa-distill %s', (command, options) => {
  const files = { 'in.jsonl': content, 'bench.jsonl': benchmark };

  test('from pipe to pipe and from file to file are the same, and the counts add up', async () => {
    const { cwd, run, read } = project(files);
    const toFile = await run(command, 'in.jsonl', ...options, '--out', 'out.jsonl', '--json');
    expect(toFile).toMatchObject({ code: 0, stderr: '' });
    const counts = JSON.parse(toFile.stdout);
    const dropped = Object.values<number>(counts.dropped).reduce((sum, count) => sum + count, 0);
    expect(counts).toMatchObject({ rows_in: lines.length, kept: counts.rows_out, failed: {} });
    expect(counts.kept + dropped).toBe(lines.length);
    expect(read('out.jsonl').split('\n').length - 1).toBe(counts.kept);
    expect(readLedgerFile(path.join(cwd, 'out.jsonl.ledger.jsonl'))).toHaveLength(dropped);
    const args = [command, '-', ...options, '--out', '-', '--ledger', 'piped.jsonl', '--json'];
    const piped = await runWell(args, { cwd, stdin: content });
    expect(piped.stdout).toBe(read('out.jsonl'));
    expect(piped.stderr).toBe(toFile.stdout);
    const placeless = (name: string) =>
      readLedgerFile(path.join(cwd, name)).map((entry) => ({ ...entry, evidence: undefined }));
    expect(placeless('piped.jsonl')).toEqual(placeless('out.jsonl.ledger.jsonl'));
  });

  test.each([
    ['an idle pipe', 'SIGINT'],
    ['rows without end', 'SIGINT'],
    ['rows without end', 'SIGKILL'],
  ] as const)('leaves %s after %s, and nothing half-written', async (pipe, signal) => {
    const { cwd } = project(files);
    const spool = temporaryFolder();
    const child = startCli([command, '-', ...options, '--out', 'out.jsonl'], { cwd, env: { TMPDIR: spool } });
    const ended = finished(child);
    child.stdin!.on('error', () => {});
    // So it is in the midst of them whenever the signal comes.
    const feed = setInterval(() => pipe === 'an idle pipe' || child.stdin!.write(content), 1);
    await waitUntil('the command', () => hasBegun(child.pid!, cwd, spool), { everyMs: 5, child });
    child.kill(signal);
    const { code, stderr } = await ended;
    clearInterval(feed);
    const visible = readdirSync(cwd).filter((name) => signal === 'SIGINT' || !name.startsWith('.'));
    expect(visible.sort()).toEqual(['bench.jsonl', 'in.jsonl']);
    expect(readdirSync(spool)).toEqual([]);
    if (signal === 'SIGKILL') return;
    expect(stderr).toContain('SIGINT: stopping');
    expect(code).toBe(130);
  });
});

test('of duplicates the best row stays, in any order and over any files', async () => {
  const rows = [
    { id: 'plain', question: 'Which river flows past the old town of Harrow on the northern coast?' },
    {
      id: 'best',
      question: 'WHICH river flows past the old town of Harrow on the northern coast',
      quality: 2,
    },
    {
      id: 'near',
      question: 'Which river flows past an old town of Harrow on the notrhern coast?',
      quality: 1,
    },
    { id: 'other', question: 'How many islands lie in the bay of Sorrel in 1990?' },
    { id: 'year', question: 'How many islands lie in the bay of Sorrel in 1991?' },
  ].map((row) => `${JSON.stringify(row)}\n`);
  const { cwd, run, read } = project({
    'a.jsonl': rows.join(''),
    'b.jsonl': rows.slice(3).join(''),
    'c.jsonl': rows.slice(0, 3).reverse().join(''),
  });
  const args = ['--out', 'out.jsonl'];
  const whole = await run('dedup', 'a.jsonl', ...args);
  expect(whole.stdout).toContain('5 rows in = 3 kept + 2 dropped + 0 failed');
  const kept = read('out.jsonl');
  expect(kept).toBe([rows[1], rows[3], rows[4]].join(''));
  expect(readLedgerFile(path.join(cwd, 'out.jsonl.ledger.jsonl'))).toMatchObject([
    {
      record_id: 'plain',
      reason: 'duplicate_question',
      evidence: { kept_id: 'best', kept_index: 1, cluster_size: 3 },
    },
    { record_id: 'near', reason: 'duplicate_question', evidence: { kept_id: 'best', kept_index: 1 } },
  ]);
  await run('dedup', 'b.jsonl', 'c.jsonl', ...args);
  expect(read('out.jsonl').split('\n').sort()).toEqual(kept.split('\n').sort());
});

test('a question of a benchmark is found, with its row and the shared text', async () => {
  const leak = searchedRow('WHICH river flows past the old town of Harrow, on the northern coast?', 3);
  const { cwd, run } = project({
    'in.jsonl': `${content}${JSON.stringify(leak)}\n`,
    'bench.jsonl': benchmark,
  });
  const setting = 'decontaminate.benchmarks=[{path: bench.jsonl, columns: {question: problem}}]';
  const { stdout } = await run('decontaminate', 'in.jsonl', '--set', setting, '--out', 'out.jsonl');
  expect(stdout).toContain('41 rows in = 40 kept + 1 dropped + 0 failed\n  dropped: contaminated 1');
  expect(readLedgerFile(path.join(cwd, 'out.jsonl.ledger.jsonl'))).toMatchObject([
    { index: 40, reason: 'contaminated', evidence: { benchmark: 'bench', row: 41, line: 41 } },
  ]);
});

test('parquet rows leave as JSON lines', async () => {
  const { cwd, run } = project({});
  const file = testDataPath('tasks/math500.parquet');
  const against = ['--against', testDataPath('tasks/aime24.parquet'), '--json'];
  const column = ['--column', 'prompt.0.content'];
  const { code, stdout, stderr } = await run(
    ...['decontaminate', file, ...column, '--out', 'out.jsonl', ...against],
  );
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const gone = new Set(readLedgerFile(path.join(cwd, 'out.jsonl.ledger.jsonl')).map(({ index }) => index));
  const rows: unknown[] = [];
  for await (const row of (await openRowFile(file)).rows()) if ('value' in row) rows.push(row.value);
  const written = readFileSync(path.join(cwd, 'out.jsonl'), 'utf8').trimEnd().split('\n');
  expect(written.map((line) => JSON.parse(line))).toEqual(rows.filter((_, at) => !gone.has(at)));
  expect(JSON.parse(stdout)).toMatchObject({ rows_in: 42, kept: 42 - gone.size });
});
