import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sealedLine } from '../../base/journal/sealed.ts';
import { createExportRun } from '../../bench/support/exportRun.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { type CliResult, runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { copyOf } from '../support/temporaryFolder.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const shared = sharedFolder();
/** A run before its export, the same with a dataset in two formats, and one with all of them from the beginning. */
const waiting = join(shared, 'waiting');
const few = join(shared, 'few');
const all = join(shared, 'all');

const layout = 'validation_share: 0.3, shard_mb: 0.1';
const rows = 60;

beforeAll(async () => {
  mkdirSync(waiting);
  mkdirSync(all);
  await createExportRun({ folder: waiting, rows, config: `dataset: { ${layout}, formats: [afm, verl] }\n` });
  await createExportRun({
    folder: all,
    rows,
    config: `dataset: { ${layout}, formats: [${datasetFormatNames.join(', ')}] }\n`,
  });
  cpSync(waiting, few, { recursive: true });
  for (const cwd of [few, all]) await runWell(['run'], { cwd });
});

const datasetOf = (cwd: string) => join(cwd, 'runs/coa/dataset');
const exportTo = (cwd: string, ...args: string[]) => runCli(['export', 'coa', '--to', ...args], { cwd });

function manifestOf(cwd: string): Manifest {
  return manifestSchema.parse(JSON.parse(readFileSync(join(datasetOf(cwd), 'manifest.json'), 'utf8')));
}

/** One line, and the dataset as it was. */
function expectRefused(
  cwd: string,
  result: CliResult,
  message: RegExp,
  before: Record<string, string>,
): void {
  expect(result.code, result.stderr).toBe(2);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
  expect(result.stderr).toMatch(message);
  expect(folderHashes(datasetOf(cwd))).toEqual(before);
  expect(existsSync(`${datasetOf(cwd)}.partial`)).toBe(false);
}

describe('formats added to a finished dataset', () => {
  test('come beside those that are there, whose bytes stay, as if all had been chosen at once', async () => {
    const cwd = copyOf(few);
    const before = folderHashes(datasetOf(cwd));
    const first = await exportTo(cwd, 'tokenized', 'hugging_face');
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toBe(
      `${rows} rows written to runs/coa/dataset/tokenized\n${rows} rows written to runs/coa/dataset/hugging_face\n`,
    );
    expect(manifestOf(cwd).formats).toEqual(['afm', 'tokenized', 'verl', 'hugging_face']);
    const second = await exportTo(cwd, ...datasetFormatNames);
    expect(second.code, second.stderr).toBe(0);
    const after = folderHashes(datasetOf(cwd));
    for (const file of Object.keys(before).filter((file) => !['README.md', 'manifest.json'].includes(file)))
      expect(after[file], file).toBe(before[file]);
    const { 'manifest.json': _, ...expected } = folderHashes(datasetOf(all));
    expect(after).toMatchObject(expected);
    expect(Object.keys(after).sort()).toEqual([...Object.keys(expected), 'manifest.json'].sort());
    expect((await checkDataset(datasetOf(cwd))).rows).toBe(rows);
  });

  test('that are there already change nothing', async () => {
    const cwd = copyOf(few);
    const before = folderHashes(datasetOf(cwd));
    const { code, stdout } = await exportTo(cwd, 'verl');
    expect([code, stdout]).toEqual([0, 'verl: in runs/coa/dataset already\n']);
    expect(folderHashes(datasetOf(cwd))).toEqual(before);
  });

  test('are added again where a process was killed between the two renames of the exchange', async () => {
    const cwd = copyOf(few);
    renameSync(datasetOf(cwd), `${datasetOf(cwd)}.old`);
    expect((await exportTo(cwd, 'tokenized', 'axolotl')).code).toBe(0);
    expect((await checkDataset(datasetOf(cwd))).rows).toBe(rows);
    expect(readdirSync(join(cwd, 'runs/coa')).filter((name) => name.startsWith('dataset'))).toEqual([
      'dataset',
    ]);
  });
});

describe('nothing is added', () => {
  test('before the dataset is finished', async () => {
    const cwd = copyOf(waiting);
    const { code, stderr } = await exportTo(cwd, 'axolotl');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/has no finished dataset; finish it with: \S*coa-distill\S* run/),
    ]);
  });

  test.each<[what: string, harm: (run: string) => void, message: RegExp]>([
    [
      'a file of the dataset was edited',
      (run) => appendFileSync(join(run, 'dataset/afm/coa.json'), ' '),
      /afm\/coa\.json: its SHA-256 is/,
    ],
    [
      'a file of the dataset was removed',
      (run) => rmSync(join(run, 'dataset/verl/coa_dataset.py')),
      /coa_dataset\.py: .* does not exist/,
    ],
    [
      'a file was put into the dataset',
      (run) => writeFileSync(join(run, 'dataset/notes.txt'), ''),
      /notes\.txt: manifest\.json does not list it/,
    ],
    [
      'a row is no longer among the records of the run',
      (run) => {
        const records = join(run, 'filter/records.jsonl');
        writeFileSync(records, readFileSync(records, 'utf8').split('\n').toSpliced(5, 1).join('\n'));
      },
      /filter\/records\.jsonl holds \d+ records, but \d+ were written to it/,
    ],
  ])('when %s', async (_, harm, message) => {
    const cwd = copyOf(few);
    harm(join(cwd, 'runs/coa'));
    expectRefused(cwd, await exportTo(cwd, 'axolotl'), message, folderHashes(datasetOf(cwd)));
  });

  test('when the records would give other bytes', async () => {
    const cwd = copyOf(few);
    const records = join(cwd, 'runs/coa/filter/records.jsonl');
    const before = folderHashes(datasetOf(cwd));
    const changed = readFileSync(records, 'utf8').replaceAll('"answers":["', '"answers":["or ');
    writeFileSync(records, changed);
    expectRefused(cwd, await exportTo(cwd, 'axolotl'), /records\.jsonl:\d+: damaged/, before);
    // Sealed again, as nobody but a forger would.
    const lines = changed
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { checksum: _, ...record } = JSON.parse(line);
        return `${sealedLine(record)}\n`;
      });
    writeFileSync(records, lines.join(''));
    expectRefused(cwd, await exportTo(cwd, 'axolotl'), /would not come out as it is/, before);
  });

  test.each([
    [['atif', 'axolotl'], /--to: atif is written by itself, got axolotl beside it/],
    [['atif', 'adp'], /--to: atif is written by itself, got adp beside it/],
    [['axolotl', '--out', 'x'], /--out: for atif, adp and openai only/],
    [['axolotl', '--stage', 'filter'], /--stage: for atif, adp and openai only/],
  ])('by %j', async (args, message) => {
    expectRefused(few, await exportTo(few, ...args), message, folderHashes(datasetOf(few)));
  });
});

test('a format that can’t hold the rows is refused before a run begins', async () => {
  const cwd = copyOf(waiting);
  const file = join(cwd, 'coa.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('[afm, verl]', '[afm, verl], too_long: cut'));
  await runRefused(['run'], { cwd }, /coa\.yaml:\d+: dataset\.formats: afm ends every row/);
});
