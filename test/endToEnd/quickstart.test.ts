import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { summaryLines } from '../../cli/summary.ts';
import type { ReportData } from '../../schemas/report.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { plantedRows } from '../support/answerKey/plantedRows.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const quickstart = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));
const folder = sharedFolder();
let first: CliResult;

beforeAll(async () => {
  first = await runCli(
    ['run', quickstart, '--name', 'first', '--set', `runs_dir=${join(folder, 'runs')}`, '--json'],
    { cwd: folder },
  );
});

const readJson = <T>(file: string) => JSON.parse(readFileSync(join(folder, 'runs', file), 'utf8')) as T;

test('it ends well, with all four profiles among the kept rows', () => {
  expect(first.code, first.stderr).toBe(0);
  const { profiles } = readJson<{ profiles: Record<string, number> }>('first/dataset/manifest.json');
  expect(Object.keys(profiles).sort()).toEqual(['code', 'math', 'mhqa', 'web']);
  for (const rows of Object.values(profiles)) expect(rows).toBeGreaterThan(5);
});

test('every planted flaw ends as planted, and no clean task is lost', async () => {
  const script = fileURLToPath(new URL('../../examples/quickstart.script.jsonl', import.meta.url));
  const planted = await plantedRows(join(folder, 'runs/first'), script);
  const flaws = new Set(planted.map((row) => row.flaw));
  expect(flaws.size).toBeGreaterThanOrEqual(11);
  for (const row of planted) expect(row).toMatchObject({ as_expected: row.planted, false_finds: 0 });
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

test('README shows what it prints', () => {
  // Pyodide, where there is no bubblewrap, words errors otherwise: observations have other tokens.
  const comparable = (line: string) => line.replace(/[\d,]+ tokens/, 'N tokens');
  const summary = /```text\n(stage [\s\S]*?)\n\n[^\n]* s, peak memory/.exec(readme)![1]!;
  const shown = summary.split('\n').map(comparable);
  const printed = summaryLines({ examples: [], ...JSON.parse(first.stdout) } as ReportData).map(comparable);
  const isPrinted = (line: string) =>
    line.startsWith('…') ||
    printed.some((one) => one === line || (line.endsWith('…') && one.startsWith(line.slice(0, -1))));
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter((line) => !isPrinted(line))).toEqual([]);
});

test('README shows a row that it makes, and what of it is trained', () => {
  const [, row, shown] = /`npx coa-distill show quickstart train:(\d+)`[\s\S]*?```text\n([\s\S]*?)\n```/.exec(
    readme,
  )!;
  const rows = readFileSync(join(folder, 'runs/first/dataset/trajectories.jsonl'), 'utf8').split('\n');
  const { question, segments } = JSON.parse(rows[Number(row)]!) as Trajectory;
  const pieces = [{ text: question, origin: 'prompt' }, ...segments];
  for (const line of shown!.split('\n').filter((one) => one !== '...')) {
    const [, text, is] = /^(.*?) {2,}(TRAINED|not trained)$/.exec(line)!;
    const isShown = (piece: { text: string }) =>
      text!.split('...').every((part) => piece.text.includes(part.trim()));
    const isTrained = new Set(pieces.filter(isShown).map(({ origin }) => origin === 'model'));
    expect([line, ...isTrained]).toEqual([line, is === 'TRAINED']);
  }
});

test('the counts add up at every stage, and each stage takes what the one before gave', () => {
  const stages = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'];
  const files = stages.map((stage) => readJson<StageFile>(`first/${stage}/stage.json`));
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
  for (const file of files) {
    expect(file.complete).toBe(true);
    expect(file.entered).toBe(file.emitted_inputs + sum(file.dropped) + sum(file.failed));
  }
  for (const [n, file] of files.slice(1).entries()) expect(file.entered).toBe(files[n]!.emitted_records);
});

test('the four formats carry the same text and the same trained tokens', async () => {
  const { rows, trainedTokens } = await checkDataset(join(folder, 'runs/first/dataset'));
  const manifest = readJson<{ rows: number; trained_tokens: number }>('first/dataset/manifest.json');
  expect({ rows, trained_tokens: trainedTokens }).toEqual({
    rows: manifest.rows,
    trained_tokens: manifest.trained_tokens,
  });
});
