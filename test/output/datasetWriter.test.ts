import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import type { Block } from '../../schemas/coa/layout.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { mistakeOf } from '../support/mistakeOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { trajectoryArbitrary, trajectoryOf } from '../support/trajectoryArbitrary.ts';
import { writeTinyTokenizer } from './support/tinyTokenizer.ts';
import { writeDataset, writerOptions } from './support/writeDataset.ts';

const rows = fc.sample(trajectoryArbitrary(), { numRuns: 8, seed: 11 });

async function bytesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const pairs = files.map(async (file) => [path.relative(folder, file), await readFile(file, 'latin1')]);
  return Object.fromEntries(await Promise.all(pairs));
}

describe('a dataset', () => {
  test('appears only when it is finished, with nothing beside it', async () => {
    const parent = temporaryFolder();
    const folder = path.join(parent, 'dataset');
    const writer = await createDatasetWriter(writerOptions(folder));
    const outcomes = [];
    for (const row of rows) outcomes.push(await writer.write(row));
    expect(existsSync(folder)).toBe(false);
    expect(outcomes.map((outcome) => outcome.kind === 'written' && outcome.sample.row)).toEqual(
      rows.keys().toArray(),
    );
    await writer.finish();
    expect(await readdir(parent)).toEqual(['dataset']);
  });

  test('leaves nothing behind when it is given up, also twice', async () => {
    const parent = temporaryFolder();
    const writer = await createDatasetWriter(writerOptions(path.join(parent, 'dataset')));
    await writer.write(rows[0]!);
    await writer.abort();
    await writer.abort();
    expect(await readdir(parent)).toEqual([]);
  });

  test('replaces an older one, which stays as it is until then', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    await writeDataset(rows.slice(0, 1), writerOptions(folder));
    const older = await bytesOf(folder);
    const given = await createDatasetWriter(writerOptions(folder));
    await given.write(rows[1]!);
    await given.abort();
    expect(await bytesOf(folder)).toEqual(older);
    await writeDataset(rows, writerOptions(folder));
    expect((await checkDataset(folder)).rows).toBe(rows.length);
  });

  test('takes up where a killed process left files: the partial folder goes, the one set aside comes back', async () => {
    const parent = temporaryFolder();
    const folder = path.join(parent, 'dataset');
    await mkdir(`${folder}.partial/verl`, { recursive: true });
    await mkdir(`${folder}.old`);
    await writeFile(`${folder}.old/README.md`, 'older');
    const writer = await createDatasetWriter(writerOptions(folder));
    expect(await readFile(`${folder}/README.md`, 'utf8')).toBe('older');
    await writer.abort();
    expect(await readdir(parent)).toEqual(['dataset']);
  });

  test('without rows is whole and can be read', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const manifest = await writeDataset([], writerOptions(folder));
    expect(manifest).toMatchObject({ rows: 0, tokens: 0, trained_tokens: 0, profiles: {} });
    expect(await checkDataset(folder)).toEqual({ rows: 0, trainedTokens: 0 });
  });

  test('of more rows than a batch holds has all of them in order', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const { segments, ...shortest } = rows.toSorted((a, b) => a.segments.length - b.segments.length)[0]!;
    const many = Array.from(
      { length: 1_001 },
      (_, at): Trajectory => ({
        ...shortest,
        segments: [{ ...segments[0]!, text: `<plan>${at}</plan>` }],
      }),
    );
    const manifest = await writeDataset(many, writerOptions(folder));
    const table = tableFromIPC(await readFile(path.join(folder, 'tokenized/data-00000-of-00001.arrow')));
    expect(table.batches.map((batch) => batch.numRows)).toEqual([1_000, 1]);
    const file = await asyncBufferFromFile(path.join(folder, 'verl/sft.parquet'));
    const verl = await parquetReadObjects({ file, compressors });
    expect(verl.map((row) => row.messages[2].content)).toEqual(many.map((_, at) => `<plan>${at}</plan>`));
    const ids = table.toArray().map((row) => [...row.input_ids]);
    expect(ids).toEqual(verl.map((row) => row.input_ids));
    expect(manifest.tokens).toBe(ids.flat().length);
  });
});

describe('a row', () => {
  test('longer than the cutoff is not written anywhere', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const lengths = [];
    const measured = await createDatasetWriter(writerOptions(folder));
    for (const row of rows) {
      const outcome = await measured.write(row);
      if (outcome.kind === 'written') lengths.push(outcome.sample.tokens);
    }
    await measured.abort();
    const cutoff_len = lengths.toSorted((a, b) => a - b)[3]!;
    const writer = await createDatasetWriter(writerOptions(folder, { dataset: { cutoff_len } }));
    for (const [at, row] of rows.entries()) {
      const tokens = lengths[at]!;
      const expected = tokens > cutoff_len ? { kind: 'too_long', tokens, cutoff_len } : { kind: 'written' };
      expect(await writer.write(row)).toMatchObject(expected);
    }
    expect((await writer.finish()).rows).toBe(lengths.filter((length) => length <= cutoff_len).length);
    await checkDataset(folder);
  });

  test('that one of the formats can’t hold is in none of them', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const formats = ['afm', 'tokenized', 'ms_swift'];
    const writer = await createDatasetWriter(writerOptions(folder, { dataset: { formats } }));
    await writer.write(rows[0]!);
    // ms-swift puts a number there.
    const bad = { ...rows[1]!, user: `{{ROUND0}} ${rows[1]!.user}` };
    await expect(writer.write(bad)).rejects.toThrow(RecordFailure);
    await writer.write(rows[2]!);
    await writer.finish();
    expect((await checkDataset(folder)).rows).toBe(2);
  });

  test('whose texts hold control tokens, or are not in normal form, is fixed and counted', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const clean = await writeDataset([rows[0]!], writerOptions(folder));
    const changed = { ...rows[0]!, system: 'x<|im_end|>e\u0301' };
    const manifest = await writeDataset([changed], writerOptions(folder));
    expect(manifest.disarmed_tokens).toBe(clean.disarmed_tokens + 1);
    expect(manifest.repaired_texts).toBe(clean.repaired_texts + 1);
    await checkDataset(folder);
  });

  test('in which the mask trains no segment is not written', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const tags = new Set(rows[0]!.segments.map((segment) => segment.tag));
    const tag_weights = Object.fromEntries([...tags].map((tag) => [tag, 0]));
    const dataset = { mask: { tag_weights } };
    const writer = await createDatasetWriter(writerOptions(folder, { dataset }));
    expect(await writer.write(rows[0]!)).toEqual({ kind: 'nothing_trained' });
    expect((await writer.finish()).rows).toBe(0);
  });

  test('with lone surrogates beside its text has them repaired', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    await writeDataset([{ ...rows[0]!, answers: ['a\ud800'] }], writerOptions(folder));
    const [line] = (await readFile(path.join(folder, 'trajectories.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line!).answers).toEqual(['a\ufffd']);
  });
});

/** A trajectory with so many searches. */
function searching(searches: number): Trajectory {
  const model = (tag: string, body = 'x'): Block => ({ tag, origin: 'model', body });
  const blocks = [
    model('think'),
    model('plan'),
    ...Array.from({ length: searches }, (_, at): Block[] => [
      model('think'),
      model('wiki_search', `query ${at}`),
      { tag: 'observation', origin: 'environment', body: '\nx\n' },
    ]).flat(),
    model('think'),
    model('answer'),
  ];
  return trajectoryOf(builtinProfiles.mhqa!, blocks, 'Who?', 'she');
}

test('a row is written whole, cut, or dropped for what is true of it', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  const tag_weights = Object.fromEntries(['plan', 'reflection', 'answer'].map((tag) => [tag, 0]));
  const dataset = {
    formats: ['llama_factory', 'tokenized', 'verl'],
    mask: { thinking: false, tag_weights },
    too_long: 'cut',
    cutoff_len: 600,
  };
  const writer = await createDatasetWriter(writerOptions(folder, { dataset }));
  const short = searching(1);
  const long = searching(40);
  const silent = searching(0);
  const unfitting = { ...short, system: 'x '.repeat(700) };
  const outcomes = [];
  for (const row of [short, long, silent, unfitting]) outcomes.push(await writer.write(row));
  expect(outcomes).toMatchObject([
    { kind: 'written', sample: { row: 0 } },
    {
      kind: 'written',
      sample: { row: 1, cut: { segments: expect.any(Number), tokens: expect.any(Number) } },
    },
    { kind: 'nothing_trained' },
    { kind: 'too_long', cutoff_len: 600 },
  ]);
  expect(await writer.finish()).toMatchObject({ rows: 2, cut_rows: 1 });
  await checkDataset(folder);
});

describe('what stops an export is the user’s to fix', () => {
  test('a tokenizer whose tokens cross borders: nothing is left', async () => {
    const parent = temporaryFolder();
    const file = await writeTinyTokenizer(temporaryFolder(), { merges: [['Ċ', '<']] });
    const tiny = await loadTokenizer(file);
    const writer = await createDatasetWriter(
      writerOptions(path.join(parent, 'dataset'), { tokenizer: tiny }),
    );
    await expect(writer.write(rows[0]!)).rejects.toThrow(RecordFailure);
    await expect(writer.finish()).rejects.toThrow(UserError);
    tiny.close();
    expect(await readdir(parent)).toEqual([]);
  });

  test('a tokenizer without the chat markup', async () => {
    const file = await writeTinyTokenizer(temporaryFolder(), { addedTokens: ['<s>'] });
    const tiny = await loadTokenizer(file);
    const options = writerOptions(path.join(temporaryFolder(), 'dataset'), { tokenizer: tiny });
    await expect(createDatasetWriter(options)).rejects.toThrow(/has no token <\|im_start\|>/);
    tiny.close();
  });

  test('a model’s name that no trainer’s configuration can hold, before any row is written', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const training = { model: '/m/\u0024{x}' };
    await expect(createDatasetWriter(writerOptions(folder, { training }))).rejects.toThrow(
      /training\.model: expected text without/,
    );
    expect(await readdir(path.dirname(folder))).toEqual([]);
  });

  test('a folder that can’t be made', async () => {
    const parent = temporaryFolder();
    await writeFile(path.join(parent, 'file'), '');
    const options = writerOptions(path.join(parent, 'file', 'dataset'));
    expect(await mistakeOf(createDatasetWriter(options))).toMatch(/ENOTDIR/);
  });
});

test('the card names the JSON formats as configurations, and the columns of the canonical one', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  await writeDataset(rows, writerOptions(folder));
  const card = await readFile(path.join(folder, 'README.md'), 'utf8');
  const [, matter = ''] = card.split('---\n');
  const { configs, dataset_info } = parseYaml(matter);
  expect(configs.map((config: { config_name: string }) => config.config_name)).toEqual([
    'trajectories',
    'afm',
    'llama_factory',
  ]);
  for (const { data_files } of configs) expect(existsSync(path.join(folder, data_files[0].path))).toBe(true);
  const [line] = (await readFile(path.join(folder, 'trajectories.jsonl'), 'utf8')).split('\n');
  const columns = dataset_info[0].features.map((feature: { name: string }) => feature.name);
  expect(Object.keys(JSON.parse(line!))).toEqual(columns);
});

describe('rows that are repeated', () => {
  const samplingOf = (repeats: number) => ({ repeats, weight: 1, reasons: ['error_correction'] });
  const repeated = rows
    .slice(0, 4)
    .map((row, at) => (at % 2 === 0 ? row : { ...row, sampling: samplingOf(3) }));

  test('stand one behind the other in every format, and the manifest counts them', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const manifest = await writeDataset(repeated, writerOptions(folder));
    expect(manifest.rows).toBe(8);
    const checked = await checkDataset(folder);
    expect(checked).toEqual({ rows: manifest.rows, trainedTokens: manifest.trained_tokens });
    const lines = (await readFile(path.join(folder, 'trajectories.jsonl'), 'utf8')).trimEnd().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual([0, 1, 1, 1, 2, 3, 3, 3].map((at) => rows[at]!.id));
  });

  test('are one sample that says how many rows it is; validation rows stand once', async () => {
    const samplesWith = async (validation_share: number) => {
      const folder = path.join(temporaryFolder(), 'dataset');
      const writer = await createDatasetWriter(writerOptions(folder, { dataset: { validation_share } }));
      const samples = [];
      for (const row of repeated) samples.push(await writer.write(row));
      await writer.abort();
      return samples.map((outcome) => outcome.kind === 'written' && outcome.sample);
    };
    expect(await samplesWith(0)).toMatchObject([
      { row: 0 },
      { row: 1, repeats: 3 },
      { row: 4 },
      { row: 5, repeats: 3 },
    ]);
    const all = await samplesWith(0.999_999);
    expect(all.map((sample) => sample && [sample.split, sample.row, sample.repeats])).toEqual(
      [0, 1, 2, 3].map((row) => ['validation', row, undefined]),
    );
  });
});
