import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LlamaFactoryRow } from '../../../schemas/rows/shareGpt.ts';
import { ignoredLabel } from '../../../schemas/rows/tokens.ts';
import type { AfmRow } from '../../../schemas/trainers/afmMask.ts';
import { qwenText } from '../support/qwenText.ts';
import { checkMasks, rulesByRow } from './support/checkRows.ts';
import { type IdRow, plantFault, rehash, rowsOf } from './support/plantFault.ts';
import { sampleDataset } from './support/sampleDataset.ts';

const arrow = 'tokenized/data-00000-of-00001.arrow';
const parquet = 'verl/sft.parquet';
const text = 'llama_factory/train.jsonl';
const afm = 'afm/sample.json';
const imEnd = 151_645;

/** The runs of tokens that are not trained: the prompt, then an observation each. */
function untrainedRuns(trained: readonly boolean[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const [at, isTrained] of trained.entries()) {
    const last = runs.at(-1);
    if (isTrained) continue;
    if (last?.to === at) last.to += 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

const trainedOf = ({ labels, loss_mask }: IdRow): boolean[] =>
  labels ? labels.map((label) => label !== ignoredLabel) : loss_mask!.map((bit) => bit === 1);

/** The row with another mask. */
function withMask(row: IdRow, trained: readonly boolean[]): IdRow {
  if (row.loss_mask) return { ...row, loss_mask: trained.map(Number) };
  return { ...row, labels: row.input_ids.map((id, at) => (trained[at] ? id : ignoredLabel)) };
}

const filled = (mask: readonly boolean[], from: number, to: number, value: boolean): boolean[] =>
  mask.map((bit, at) => (at >= from && at < to ? value : bit));

type Mask = readonly boolean[];

const third =
  <Row>(change: (row: Row) => Row) =>
  (rows: Row[]) =>
    rows.map((row, at) => (at === 2 ? change(row) : row));

/** Trains a run that the mask leaves out, from a place in it on; negative ones count from its end. */
const trainRun = (mask: Mask, run: number, place = 0) => {
  const { from, to } = untrainedRuns(mask)[run]!;
  return filled(mask, place < 0 ? to + place : from + place, to, true);
};

/** Faults that a mask can have, in the tokenised formats; each in the third row. */
const maskFaults: Readonly<Record<string, readonly [kind: string, change: (mask: Mask) => boolean[]]>> = {
  'mask shifted by one to the right': ['shifted_mask', (mask) => mask.map((_, at) => mask[at - 1] ?? false)],
  'mask shifted by one to the left': ['shifted_mask', (mask) => mask.map((_, at) => mask[at + 1] ?? true)],
  'observation unmasked': ['observation_trained', (mask) => trainRun(mask, 1)],
  'last token of an observation unmasked': ['observation_trained', (mask) => trainRun(mask, 1, -1)],
  'prompt trained, but for the first token': ['prompt_trained', (mask) => trainRun(mask, 0, 1)],
  'model words between two observations masked, as a mask that closes too late does': [
    'model_untrained',
    (mask) => filled(mask, untrainedRuns(mask)[1]!.to, untrainedRuns(mask)[2]!.from, false),
  ],
  'end of turn not trained': ['model_untrained', (mask) => filled(mask, mask.length - 2, mask.length, false)],
  'empty mask': ['empty_mask', (mask) => mask.map(() => false)],
};

test.for(
  [arrow, parquet].flatMap((file) =>
    Object.entries(maskFaults).map(([name, [kind, change]]) => [file, name, kind, change] as const),
  ),
)('a mask in %s: %s', async ([file, , kind, change]) => {
  const folder = await sampleDataset();
  await plantFault<IdRow>(
    folder,
    file,
    third((row) => withMask(row, change(trainedOf(row)))),
  );
  const outcome = await checkMasks(path.join(folder, file));
  // What is trained is counted too, and is no longer what the manifest says.
  expect(rulesByRow(outcome).filter((each) => each !== '- wrong_counts')).toEqual([`3 ${kind}`]);
});

/** Cuts a row behind a token. */
const cutRow = (row: IdRow, length: number): IdRow => ({
  ...row,
  input_ids: row.input_ids.slice(0, length),
  ...(row.attention_mask && { attention_mask: row.attention_mask.slice(0, length) }),
  ...(row.labels && { labels: row.labels.slice(0, length) }),
  ...(row.loss_mask && { loss_mask: row.loss_mask.slice(0, length) }),
});

/** Puts a control token into the first observation. */
const withControl = (id: number) => (row: IdRow) => {
  const at = untrainedRuns(trainedOf(row))[1]!.from + 6;
  return { ...row, input_ids: row.input_ids.toSpliced(at, 1, id) };
};

const rowFaults: readonly [
  name: string,
  file: string,
  found: readonly string[],
  change: (rows: IdRow[]) => IdRow[] | Promise<IdRow[]>,
][] = [
  [
    'truncated in an observation',
    arrow,
    ['3 truncated_row'],
    third((row) => cutRow(row, untrainedRuns(trainedOf(row))[2]!.from + 6)),
  ],
  [
    'truncated in the loss',
    parquet,
    ['3 truncated_row'],
    third((row) => cutRow(row, row.input_ids.length - 9)),
  ],
  [
    'without an end of turn',
    arrow,
    ['3 missing_end_of_turn'],
    third((row) => cutRow(row, row.input_ids.length - 2)),
  ],
  [
    'swapped with its neighbour',
    parquet,
    ['3 swapped_rows'],
    ([a, b, c, d, ...more]) => [a!, b!, d!, c!, ...more],
  ],
  ['missing', arrow, ['- missing_row', '- wrong_counts'], (rows) => rows.toSpliced(2, 1)],
  ['missing at the end', arrow, ['- missing_row', '- wrong_counts'], (rows) => rows.slice(0, -1)],
  ['written twice', parquet, ['3 duplicate_row', '- wrong_counts'], (rows) => rows.toSpliced(2, 0, rows[1]!)],
  [
    'attention mask one too short',
    arrow,
    ['3 wrong_lengths'],
    third((row) => ({ ...row, attention_mask: row.attention_mask!.slice(1) })),
  ],
  [
    'attention mask hides the end of the row, as padding does',
    arrow,
    ['3 attention_masked'],
    third((row) => ({ ...row, attention_mask: row.attention_mask!.with(-1, 0) })),
  ],
  [
    'labels of the next token, as after a shift of the labels alone',
    arrow,
    ['3 label_not_id', '3 shifted_mask'],
    third((row) => ({ ...row, labels: row.labels!.map((_, at) => row.labels![at + 1] ?? imEnd) })),
  ],
  ['a control token inside an observation', parquet, ['3 control_token'], third(withControl(imEnd))],
  [
    'a control token of another kind inside an observation',
    arrow,
    ['3 control_token'],
    third(withControl(151_657)),
  ],
  [
    "another row's ids under the row's own mask",
    arrow,
    ['3 row_differs', '3 label_not_id'],
    (rows) => third<IdRow>((row) => ({ ...rows[1]!, labels: row.labels! }))(rows),
  ],
  [
    'ids of a tokenizer that splits words otherwise',
    arrow,
    ['3 foreign_ids'],
    async (rows) => {
      const words = (await qwenText.decode(rows[2]!.input_ids)).split(/(?<= )|(?=<\|)|(?<=\|>)/);
      const { ids } = await qwenText.encodeApart(words);
      return third<IdRow>(() => ({
        input_ids: [...ids],
        attention_mask: ids.map(() => 1),
        labels: [...ids],
      }))(rows);
    },
  ],
  [
    'ids beyond the vocabulary',
    parquet,
    ['3 foreign_ids'],
    third((row) => ({ ...row, input_ids: row.input_ids.map((id) => id + 20_000) })),
  ],
];

test.for(rowFaults)('a row in a tokenised format: %s', async ([, file, found, change]) => {
  const folder = await sampleDataset();
  await plantFault<IdRow>(folder, file, change);
  const kinds = rulesByRow(await checkMasks(path.join(folder, file)));
  expect(
    [...new Set(kinds)].filter((each) => found.includes('- wrong_counts') || each !== '- wrong_counts'),
  ).toEqual(found);
});

type Turns = LlamaFactoryRow['conversations'];
const turnsOfThird = (change: (turns: Turns) => Turns) =>
  third<LlamaFactoryRow>(({ conversations }) => ({ conversations: change(conversations) }));
const turnOfThird = (place: number, change: (words: string) => string) =>
  turnsOfThird((turns) => turns.with(place, { ...turns.at(place)!, value: change(turns.at(place)!.value) }));

const turnFaults: readonly [
  name: string,
  found: readonly string[],
  change: (rows: LlamaFactoryRow[]) => LlamaFactoryRow[],
][] = [
  [
    'human and gpt exchanged',
    ['3 wrong_turn_order', '3 prompt_trained', '3 model_untrained', '3 observation_trained'],
    turnsOfThird((turns) =>
      turns.map(({ from, value }) => ({ from: from === 'gpt' ? 'observation' : 'gpt', value })),
    ),
  ],
  [
    'the line feed before an observation on the wrong side of the border',
    ['3 boundary_token', '3 model_untrained'],
    (rows) => turnOfThird(2, (words) => `\n${words}`)(turnOfThird(1, (words) => words.slice(0, -1))(rows)),
  ],
  [
    'an observation in the turn of the model',
    ['3 observation_trained'],
    turnsOfThird(([human, a, b, c, ...more]) => [
      human!,
      { from: 'gpt', value: a!.value + b!.value + c!.value },
      ...more,
    ]),
  ],
  [
    'no end of turn',
    ['3 missing_end_of_turn'],
    turnOfThird(-1, (words) => words.replace('<|im_end|>\n', '')),
  ],
  ['missing', ['- missing_row', '- wrong_counts'], (rows) => rows.toSpliced(4, 1)],
  [
    'an observation that closes the turn',
    ['3 control_token'],
    turnOfThird(2, (words) =>
      words.replace('people', '<|im_end|>\n<|im_start|>assistant\n<answer>42</answer>'),
    ),
  ],
];

test.for(turnFaults)('a row of turns for stock LLaMA-Factory: %s', async ([, found, change]) => {
  const folder = await sampleDataset();
  await plantFault<LlamaFactoryRow>(folder, text, change);
  expect(rulesByRow(await checkMasks(path.join(folder, text)))).toEqual(found);
});

const outputOfThird = (change: (output: string) => string) =>
  third<AfmRow>((row) => ({ ...row, output: change(row.output) }));

const afmFaults: readonly [
  name: string,
  own: readonly string[],
  foreign: readonly string[],
  change: (rows: AfmRow[]) => AfmRow[],
][] = [
  [
    'no line feed before an observation, whose start the fork then does not see',
    ['3 afm_fork', '3 broken_structure', '3 boundary_token', '3 observation_trained'],
    ['3 afm_fork', '3 boundary_token', '3 observation_trained'],
    outputOfThird((output) => output.replace('\n<observation>', '<observation>')),
  ],
  [
    'one line feed after the last observation, which the fork then never ends',
    ['3 afm_fork', '3 afm_fork', '3 broken_structure'],
    ['3 afm_fork', '3 afm_fork'],
    outputOfThird((output) => output.replace(/<\/observation>\n\n(?!.*<observation>)/s, '</observation>\n')),
  ],
  [
    'a closing mark quoted in an observation',
    ['3 afm_fork', '3 broken_structure'],
    ['3 afm_fork', '3 broken_structure'],
    outputOfThird((output) => output.replace('people', 'people\n</observation>\n\nmore')),
  ],
  [
    'a bad end of an observation that a later one closes, so that model words are masked',
    ['3 afm_fork', '3 afm_fork', '3 broken_structure', '3 model_untrained'],
    ['3 afm_fork', '3 afm_fork', '3 model_untrained'],
    outputOfThird((output) => output.replace('</observation>\n\n', '</observation>\n')),
  ],
  [
    'swapped with its neighbour',
    ['3 swapped_rows'],
    [],
    ([a, b, c, d, ...more]) => [a!, b!, d!, c!, ...more],
  ],
  [
    'truncated in an observation',
    ['3 afm_fork', '3 control_token'],
    ['3 afm_fork', '3 control_token'],
    outputOfThird((output) => output.slice(0, output.lastIndexOf('</observation>') - 2)),
  ],
  [
    'a control token in an observation',
    ['3 control_token'],
    ['3 control_token'],
    outputOfThird((output) => output.replace('people', '<|im_end|>')),
  ],
];

test.for(afmFaults)("a row of AFM's layout: %s", async ([, own, foreign, change]) => {
  const folder = await sampleDataset();
  await plantFault<AfmRow>(folder, afm, change);
  expect(rulesByRow(await checkMasks(path.join(folder, afm)))).toEqual(own);
  // The same file as anyone's, of whom no trajectories are known.
  const alone = path.join(folder, '../alone.json');
  writeFileSync(alone, readFileSync(path.join(folder, afm)));
  expect(rulesByRow(await checkMasks(alone))).toEqual(foreign);
});

describe('a mask with options', () => {
  test('thinking that the options leave out is trained', async () => {
    const folder = await sampleDataset(undefined, { mask: { thinking: false }, formats: ['tokenized'] });
    const full = await sampleDataset(undefined, { formats: ['tokenized'] });
    const [, , other] = await rowsOf<IdRow>(full, arrow);
    await plantFault<IdRow>(folder, arrow, (rows) => rows.with(2, other!));
    const kinds = rulesByRow(await checkMasks(path.join(folder, arrow)));
    expect(kinds.filter((each) => each !== '- wrong_counts')).toEqual(['3 left_out_trained']);
  });

  test('a row above the cutoff', async () => {
    const folder = await sampleDataset();
    const { findings } = await checkMasks(path.join(folder, arrow), { cutoffLen: 300 });
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set(['too_long']));
  });
});

describe('a dataset folder', () => {
  test('a file that is not the one of the manifest', async () => {
    const folder = await sampleDataset();
    writeFileSync(
      path.join(folder, text),
      readFileSync(path.join(folder, text), 'utf8').replaceAll('river', 'lake'),
    );
    const kinds = new Set(rulesByRow(await checkMasks(folder)));
    expect(kinds).toContain('- file_changed');
    expect(kinds).toContain('1 row_differs');
  });

  test('a file that is gone, and one that nobody wrote', async () => {
    const folder = await sampleDataset();
    rmSync(path.join(folder, parquet));
    writeFileSync(path.join(folder, 'llama_factory/old.jsonl'), '{}\n');
    const { findings } = await checkMasks(folder);
    expect(findings.map(({ rule, file }) => `${path.relative(folder, file)} ${rule}`)).toEqual([
      `${parquet} file_changed`,
      'llama_factory/old.jsonl file_changed',
    ]);
  });

  test('two formats with the same text and other ids for it', async () => {
    // Text that means the same to every check of one format alone: look-alikes escaped in one of them only.
    const folder = await sampleDataset();
    const { ids } = await qwenText.encode('see <\\/observation>');
    expect(ids.length).toBeGreaterThan(0);
    await plantFault<IdRow>(folder, parquet, async (rows) => {
      const row = rows[2]!;
      const whole = await qwenText.decode(row.input_ids);
      const again = await qwenText.encode(whole.replace('see <\\/observation>', 'see <\\\\/observation>'));
      const added = again.ids.length - row.input_ids.length;
      const at = row.input_ids.findIndex((id, token) => id !== again.ids[token]);
      const mask = row.loss_mask!.toSpliced(at, 0, ...Array.from({ length: added }, () => 0));
      return rows.with(2, { ...row, input_ids: [...again.ids], loss_mask: mask });
    });
    const { findings } = await checkMasks(folder);
    expect(findings.filter(({ rule }) => rule !== 'wrong_counts')).toMatchObject([
      { rule: 'formats_differ', message: expect.stringContaining('row 3 ') },
    ]);
  });

  test('the rows of every format are the very ones that were written', async () => {
    const folder = await sampleDataset();
    await plantFault<IdRow>(folder, arrow, (rows) => rows);
    await plantFault<IdRow>(folder, parquet, (rows) => rows);
    rehash(folder, text);
    expect((await checkMasks(folder)).findings).toEqual([]);
    expect(await rowsOf<IdRow>(folder, arrow)).toHaveLength(6);
  });
});
