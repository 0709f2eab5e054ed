import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFiles } from '../../operations/checkFiles.ts';
import { balanceRows } from '../../operations/standalone/balanceRows.ts';
import { decontaminateRows, dedupRows } from '../../operations/standalone/dedupRows.ts';
import { filterRows } from '../../operations/standalone/filterRows.ts';
import { openRows } from '../../operations/standalone/openRows.ts';
import { rowTrajectory } from '../../operations/standalone/rowTrajectory.ts';
import { BadRow, rowQuestion, type SourceRow } from '../../operations/standalone/sourceRow.ts';
import { textToCheck } from '../../output/check/rowFindings.ts';
import { createIdDecoder } from '../../output/tokenizers/decodeIds.ts';
import { builtinRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { balanceConfigSchema } from '../../schemas/config/balance.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import { trajectoryDedupSchema } from '../../schemas/config/dedup.ts';
import { filtersConfigSchema } from '../../schemas/config/filters.ts';
import { manifestSchema } from '../../schemas/manifest.ts';
import { readAnswers } from '../../schemas/rows/codecTable.ts';
import type { DatasetRow } from '../../schemas/rows/datasetRow.ts';
import { answerText } from '../../schemas/rows/rowToWrite.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importTrajectoryRow } from '../../teachers/importers/createImporters.ts';
import { createFileFeed } from '../../viewer/index/fileFeed.ts';
import { convertedTrajectories } from '../output/check/support/sampleDataset.ts';
import { qwenText } from '../output/support/qwenText.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { isFull } from '../support/cases.ts';
import { collected } from '../support/collected.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { shapeInProcess } from './standalone/support/shapeInProcess.ts';

const count = 3;
const trajectories = convertedTrajectories(count);
const temporary = mkdtempSync(path.join(tmpdir(), 'coa-test-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const folder = path.join(temporary, 'dataset');
await writeDataset(trajectories, writerOptions(folder, { dataset: { formats: datasetFormatNames } }));
const manifest = manifestSchema.parse(JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')));
const fileNames = manifest.files.flatMap(({ path: name, rows }) => (typeof rows === 'number' ? [name] : []));
const kindOf = (name: string) =>
  /^(pairs|dpo|hugging_face_dpo)/.test(name)
    ? 'pair'
    : /^(verl_rl|verifiers)/.test(name)
      ? 'task'
      : 'trajectory';

const { profiles } = builtinRegistry;
const reading = { profiles: builtinRegistry, profile: undefined, systemPrompt: 'You are.' };
const decode = createIdDecoder('qwen2.5');
const { signal } = new AbortController();
const whole = [...datasetFormatNames, 'trajectories', 'pairs'];

async function rowsOf(name: string): Promise<SourceRow[]> {
  const { rows } = await openRows([path.join(folder, name)], { rereadable: false, signal });
  return collected(rows as AsyncGenerator<SourceRow>);
}

/** What reading a row gives, or that its kind does not fit. */
async function outcomeOf<T>(read: () => T | Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BadRow || (error as { code?: string }).code !== undefined) return 'refused';
    throw error;
  }
}

const heldText = ({ pieces }: DatasetRow) => pieces.flatMap(({ text, weight }) => (weight > 0 ? [text] : []));
/** What ends the model's turn stands in rows that carry chat markup. */
const withoutEnd = (text: string) => text.replace(/<\|im_end\|>\n$/, '');

const textOf = (at: number) => answerText(trajectories[at]!);
const trainedOf = (at: number) =>
  trajectories[at]!.segments.flatMap(({ origin, text }) => (origin === 'model' ? [text] : [])).join('');

test('every format that we write is here', () => {
  const found = new Set(fileNames.map((name) => name.split(/[/.]/)[0]!));
  expect([...found].sort()).toEqual([...whole].sort());
});

/** One file of each kind of rows and of files; all in `make test-all`. */
const throughCommands = fileNames.filter((_name, at) => {
  const kinds = fileNames.map((one) => `${kindOf(one)} ${path.extname(one)}`);
  return isFull || kinds.indexOf(kinds[at]!) === at;
});

describe.each(fileNames)('%s', (name) => {
  const kind = kindOf(name);
  const file = path.join(folder, name);
  let rows: readonly SourceRow[];
  beforeAll(async () => {
    rows = await rowsOf(name);
  });

  test('asks the same in dedup and decontaminate', () => {
    const asked = rows.map((row) => rowQuestion(row, { column: undefined, profiles }));
    expect(asked).toEqual(trajectories.map(({ question }) => question));
  });

  test('says the same text, answer and mask to every command', async () => {
    for (const row of rows) {
      const said = row.said as DatasetRow;
      if (kind === 'task') {
        expect(said.text).toBeNull();
        continue;
      }
      const sides = said.pair ? [said.pair.chosen, said.pair.rejected] : [said];
      expect(sides[0]).toMatchObject({ text: textOf(row.index), answer: `river ${row.index}` });
      const [checked] = 'value' in row ? readAnswers(row.value) : [];
      expect(await textToCheck(checked as DatasetRow, qwenText)).toBe(sides[0]!.text);
      // AFM's fork masks by tokens, and a ranking trainer has all of an answer in the loss.
      const masked = sides[0]!.maskedBy !== 'fork' && sides[0]!.maskedBy !== 'answer';
      if (masked && !(said.pair && sides[0]!.maskedBy === 'completion'))
        expect(withoutEnd(heldText(sides[0]!).join(''))).toBe(trainedOf(row.index));
    }
  });

  test('is the same trajectory to filter, balance, view and import, or refused by all', async () => {
    const importRow = importTrajectoryRow({ profiles, systemPrompt: 'You are.', measureQuality, decode });
    for (const row of rows) {
      const value = 'value' in row ? row.value : null;
      const read = [
        await outcomeOf(() => rowTrajectory(row, reading)),
        await outcomeOf(async () => (await importRow(value, { file: name, row: row.row })).record),
      ];
      for (const trajectory of read)
        if (kind === 'trajectory') {
          const { question, segments, profile } = trajectories[row.index]!;
          expect(trajectory).toMatchObject({
            question,
            profile,
            segments: segments.map(({ tag, origin, text }) => ({ tag, origin, text })),
          });
        } else expect(trajectory).toBe('refused');
    }
  });

  test('is checked and viewed', async () => {
    const elsewhere = path.join(temporaryFolder(), path.basename(name));
    copyFileSync(file, elsewhere);
    if (kind === 'task') await expect(checkFiles([elsewhere])).rejects.toThrow('found only a question');
    else expect(await checkFiles([elsewhere])).toMatchObject({ parts: [{ rows: count, checked: count }] });
    const look = await createFileFeed(file).look();
    const changes = (await collected(look.changes() as AsyncGenerator<never[][]>)).flat(2) as unknown as {
      facts: { facets: { state: string } };
    }[];
    expect(changes.map(({ facts }) => facts.facets.state)).toEqual(
      Array.from({ length: count }, () => (kind === 'trajectory' ? 'kept' : 'failed')),
    );
  });
});

test.each(throughCommands)('%s goes through the commands', async (name) => {
  const kind = kindOf(name);
  const file = path.join(folder, name);
  const out = () =>
    path.join(temporaryFolder(), `out${path.extname(name).replace(/arrow|parquet/, 'jsonl')}`);
  const shape = (stage: Parameters<typeof shapeInProcess>[1]) => shapeInProcess([file], stage, out(), 'drop');
  const config = trajectoryDedupSchema.parse({});
  const spillFolder = temporaryFolder();
  const deduped = await shape(
    dedupRows({ of: 'question', config, column: undefined, profiles, spillFolder }) as never,
  );
  expect(deduped).toMatchObject({ rows_in: count, kept: count });
  const benchmark = path.join(temporaryFolder(), 'benchmark.jsonl');
  writeFileSync(benchmark, trajectories.map(({ question }) => `${JSON.stringify({ question })}\n`).join(''));
  const against = decontaminateConfigSchema.parse({ benchmarks: [{ path: benchmark }] });
  const leaked = await shape(decontaminateRows({ config: against, column: undefined, profiles }) as never);
  expect(leaked).toMatchObject({ rows_in: count, kept: 0, dropped: { contaminated: count } });
  // Random answers stand in no observation.
  const filters = filtersConfigSchema.parse({ min_interactions: 0, grounding: { drop: false } });
  const filter = filterRows({
    ...reading,
    filter: { profileOf: builtinProfile, filters, seed: 7, tools: {} },
  });
  const rules = balanceConfigSchema.parse({ rules: [] });
  const balance = balanceRows({ ...reading, config: rules, seed: 7, onCounts: () => {} });
  const kept = kind === 'trajectory' ? { kept: count } : { kept: 0, dropped: { malformed_row: count } };
  expect(await shape(filter as never)).toMatchObject({ rows_in: count, ...kept });
  expect(await shape(balance as never)).toMatchObject({ rows_in: count, ...kept });
});
