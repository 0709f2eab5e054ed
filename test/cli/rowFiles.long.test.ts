import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readable, sampleRows, unreadable, writeRowFiles } from '../support/rowFiles.ts';
import { createProject } from './support/project.ts';
import { type CliResult, runCli } from './support/runCli.ts';

let cwd: string;
beforeAll(() => {
  cwd = createProject({ folder: mkdtempSync(path.join(tmpdir(), 'coa-rows-')) });
  writeRowFiles(cwd);
  writeFileSync(path.join(cwd, 'benchmark.jsonl'), '{"question": "Who?", "answer": "me"}\n');
  writeFileSync(
    path.join(cwd, 'eval.yaml'),
    'tools: { wiki_search: { corpus: passages.jsonl } }\nevaluation: { benchmarks: [] }\n',
  );
});

afterAll(() => rmSync(cwd, { recursive: true }));

let runs = 0;
const named = () => ['--name', `run${runs++}`];
const out = () => ['--out', `out${runs++}.jsonl`];
const last = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
const rowsIn = ({ stdout }: CliResult) => last(stdout).rows_in;

interface Reader {
  args(file: string): readonly string[];
  /** How many rows it read. */
  count(result: CliResult): unknown;
}

/** Every command that reads rows. */
const readers: Readonly<Record<string, Reader>> = {
  import: {
    args: (file) => ['import', 'afm', file, ...named(), '--json'],
    count: ({ stdout }) => last(stdout).rows.read,
  },
  run: {
    args: (file) => ['run', '--tasks', file, ...named(), '--until', 'tasks', '--json'],
    count: ({ stdout }) => last(stdout).funnel[0].emitted,
  },
  check: {
    args: (file) => ['check', file, '--json'],
    count: ({ stdout }) => last(stdout).totals.parts[0].rows,
  },
  dedup: { args: (file) => ['dedup', file, ...out(), '--json'], count: rowsIn },
  decontaminate: {
    args: (file) => ['decontaminate', file, ...out(), '--against', 'benchmark.jsonl', '--json'],
    count: rowsIn,
  },
  'decontaminate against': {
    args: (file) => ['decontaminate', 'lines.jsonl', ...out(), '--against', file, '--json'],
    count: rowsIn,
  },
  filter: { args: (file) => ['filter', file, ...out(), '--json'], count: rowsIn },
  balance: { args: (file) => ['balance', file, ...out(), '--cap', '5', '--json'], count: rowsIn },
  view: {
    args: (file) => ['view', file, '--rows', '', '--json'],
    count: ({ stdout }) => stdout.trimEnd().split('\n').length,
  },
};

/** Every other kind of file, to each second command the others: each kind is read by half of the commands. */
const half = (files: readonly string[], command: string) =>
  files.filter((_, at) => (at + Object.keys(readers).indexOf(command)) % 2 === 0);

describe.each(Object.entries(readers))('%s', (command, { args, count }) => {
  test.each(half(readable, command))('reads %s', async (file) => {
    const result = await runCli(args(file), { cwd });
    expect([0, 1], result.stderr).toContain(result.code);
    expect(count(result)).toBe(sampleRows.length);
  });

  test.each(half(unreadable, command))('says in one line what is wrong with %s', async (file) => {
    const { code, stderr } = await runCli(args(file), { cwd });
    // A note says that filters are off in an import without a configuration.
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('import: '));
    expect(said).toEqual([expect.stringContaining(file)]);
    expect(code).toBe(2);
  });
});

/** Nobody plays: it ends once the tasks are read. */
const evaluation = (file: string) => [
  ...[
    'evaluate',
    'eval.yaml',
    '--set',
    'teacher.model.endpoint.base_url=http://127.0.0.1:1/v1',
    '--model',
    'm',
    '--yes',
    '--offline',
  ],
  ...['--set', `evaluation.benchmarks=[{name: rivers, file: "${file}", profile: mhqa}]`, ...named()],
];

describe('evaluate', () => {
  test.each(readable)('reads %s', async (file) => {
    const { stderr } = await runCli(evaluation(file), { cwd });
    expect(stderr).toMatch(/^tasks +2 in/m);
  });

  test.each(unreadable)('says in one line what is wrong with %s', async (file) => {
    const { code, stderr } = await runCli(evaluation(file), { cwd });
    expect(stderr.split('\n').filter((line) => line.startsWith('error: '))).toEqual([
      expect.stringContaining(file),
    ]);
    expect(code).toBe(2);
  });
});
