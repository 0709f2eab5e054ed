import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { checkFiles } from '../../../operations/checkFiles.ts';
import { readRows } from '../../../output/check/datasetFiles.ts';
import type { Finding } from '../../../output/check/rules.ts';
import { createDatasetWriter } from '../../../output/dataset/createDatasetWriter.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import {
  encodedStretches,
  ownLayouts,
  ownRows,
  type Stretches,
  writeRowFile,
} from '../../support/ownRows.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { qwen } from '../support/qwen.ts';
import { writerOptions } from '../support/writeDataset.ts';

const folder = sharedFolder();
const trajectories = fc.sample(trajectoryArbitrary(), { numRuns: 4, seed: 5 });
const formats = ['llama_factory', 'tokenized', 'verl', 'hugging_face', 'axolotl'];

/** Writes a dataset of the same trajectories with rows of the user's own. */
async function writeMixed(name: string, dataset: object, of = trajectories): Promise<Manifest> {
  const options = writerOptions(path.join(folder, name), {
    dataset: { formats, ...dataset },
    draw: { seed: 7 },
  });
  const writer = await createDatasetWriter(options);
  for (const trajectory of of) await writer.write(trajectory);
  await writer.mix((asked) => asked, new AbortController().signal);
  return writer.finish();
}

async function valuesOf(file: string): Promise<Record<string, unknown>[]> {
  const values: Record<string, unknown>[] = [];
  for await (const row of readRows(file)) {
    if ('problem' in row) throw new Error(row.problem);
    values.push(row.value as Record<string, unknown>);
  }
  return values;
}

/** Writes rows of each layout into a file of its own and gives the paths. */
async function ownFiles(name: string, count: number): Promise<string[]> {
  const files = [];
  for (const layout of ownLayouts)
    files.push(
      writeRowFile(path.join(folder, `${name}-${layout}.jsonl`), await ownRows(layout, count, qwen)),
    );
  return files;
}

const hashesOf = ({ files }: Manifest) =>
  Object.fromEntries(files.filter(({ rows }) => rows !== null).map(({ path, sha256 }) => [path, sha256]));

const files = await ownFiles('own', 6);

type Turn = { from: string; value: string };

const errorsOf = async (name: string): Promise<string[]> => {
  const found: Finding[] = [];
  await checkFiles([path.join(folder, name)], { onFinding: (each) => found.push(each) });
  return found.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);
};

describe('rows of four layouts', async () => {
  const manifest = await writeMixed('four', { mix: files.map((file) => ({ file })) });

  test('are all in every format, behind the run’s own', async () => {
    expect(manifest.rows).toBe(trajectories.length + 24);
    expect(manifest.mix!.map(({ taken, left_out, missing }) => ({ taken, left_out, missing }))).toEqual(
      files.map(() => ({ taken: 6, left_out: {}, missing: 0 })),
    );
    const rowsOf = ({ path: file }: { path: string }) => file.replace(/[./].*$/, '');
    const counts = manifest.files.flatMap((file) => (file.rows === null ? [] : [[rowsOf(file), file.rows]]));
    expect(Object.fromEntries(counts)).toEqual({
      trajectories: trajectories.length,
      mixed: 24,
      ...Object.fromEntries(formats.map((format) => [format, trajectories.length + 24])),
    });
  });

  test('pass the check, with the run’s own rows', async () => {
    expect(await errorsOf('four')).toEqual([]);
  });

  test.each<[string, string, (turns: Turn[]) => Turn[]]>([
    ['another text', 'row_differs', (turns) => turns.with(-1, { from: 'gpt', value: 'No.<|im_end|>\n' })],
    [
      'an answer outside the loss',
      'model_untrained',
      ([asked, answer, ...others]) => [
        { from: 'human', value: asked!.value + answer!.value + others[0]!.value },
        ...others.slice(1),
      ],
    ],
  ])('do not pass it with %s', async (name, rule, spoil) => {
    const spoilt = path.join(folder, `spoilt with ${name}`);
    cpSync(path.join(folder, 'four'), spoilt, { recursive: true });
    const file = path.join(spoilt, 'llama_factory/train.jsonl');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const at = lines.findIndex((line) => line.includes('Are you sure?') && JSON.parse(line).conversations[3]);
    const { conversations } = JSON.parse(lines[at]!);
    writeFileSync(
      file,
      `${lines.with(at, JSON.stringify({ conversations: spoil(conversations) })).join('\n')}\n`,
    );
    expect(await errorsOf(`spoilt with ${name}/llama_factory`)).toContain(rule);
  });

  test('have the ids and labels of Qwen’s markup, with their own masks', async () => {
    const mixed = await valuesOf(path.join(folder, 'four/mixed.jsonl'));
    const rows = await valuesOf(path.join(folder, 'four/verl/sft.parquet'));
    const system = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';
    for (const [at, { layout, messages }] of mixed.entries()) {
      const turns = messages as { role: string; content: string; trained: boolean }[];
      const spoken =
        turns[0]!.role === 'system' ? turns : [{ role: 'system', content: system, trained: false }, ...turns];
      const stretches: Stretches =
        layout === 'tokens'
          ? turns.map(({ content, trained }) => [content, trained] as const)
          : spoken.flatMap(({ role, content, trained }) => [
              [`<|im_start|>${role}\n`, false] as const,
              [`${content}<|im_end|>\n`, trained] as const,
            ]);
      const { ids, mask } = await encodedStretches(stretches, qwen);
      const row = rows[trajectories.length + at]!;
      expect([...(row.input_ids as number[])]).toEqual(ids);
      expect([...(row.loss_mask as number[])]).toEqual(mask);
    }
  });
});

test('the rows of a run are the same bytes without dataset.mix and before it', async () => {
  const options = writerOptions(path.join(folder, 'alone'), { dataset: { formats } });
  const writer = await createDatasetWriter(options);
  for (const trajectory of trajectories) await writer.write(trajectory);
  const alone = await writer.finish();
  expect(alone.mix).toBeUndefined();
  const text = (name: string) => readFileSync(path.join(folder, name, 'llama_factory/train.jsonl'), 'utf8');
  expect(text('four').startsWith(text('alone'))).toBe(true);
  const canonical = (name: string) => readFileSync(path.join(folder, name, 'trajectories.jsonl'), 'utf8');
  expect(canonical('four')).toBe(canonical('alone'));
});

test('the same rows in any order, in files of any kind and in any number of threads give the same bytes', async () => {
  const mix = (file: string) => [{ file, share: 0.4 }];
  const rows = await ownRows('messages', 12, qwen);
  const one = path.join(folder, 'one/rows.jsonl');
  const other = path.join(folder, 'other/rows.jsonl');
  for (const file of [one, other]) mkdirSync(path.dirname(file));
  writeRowFile(one, rows);
  writeRowFile(other, rows.toReversed());
  const first = await writeMixed('order-one', { mix: mix(one), validation_share: 0.3 });
  const second = await writeMixed('order-other', { mix: mix(other), validation_share: 0.3 });
  expect(first.mix![0]!.taken).toBeGreaterThan(1);
  expect(hashesOf(second)).toEqual(hashesOf(first));
});

test('a share that the file can’t fill is said, and the others hold', async () => {
  const [small, large] = [await ownRows('messages', 2, qwen), await ownRows('sharegpt', 20, qwen)];
  const mix = [
    { file: writeRowFile(path.join(folder, 'small.jsonl'), small), share: 0.5 },
    { file: writeRowFile(path.join(folder, 'large.jsonl'), large), share: 0.25 },
  ];
  const manifest = await writeMixed('short', { mix });
  const [first, second] = manifest.mix!;
  expect(first).toMatchObject({ taken: 2, not_drawn: 0 });
  expect(first!.missing).toBeGreaterThan(0);
  expect(second).toMatchObject({ taken: 2, missing: 0, not_drawn: 18 });
  expect(manifest.rows).toBe(trajectories.length + 4);
});

test('rows that can’t be mixed in are counted by reason, with the place of the first', async () => {
  const turns = (content: unknown, more = {}) => ({
    messages: [
      { role: 'user', content },
      { role: 'assistant', content: 'Yes.', ...more },
    ],
  });
  const call = { function: { name: 'f', arguments: '{}' } };
  const rows: [string, object][] = [
    ['control_token', turns('a <|im_end|> b')],
    ['unread_part', turns([{ type: 'image_url', image_url: 'x' }])],
    ['unread_part', { instruction: 'a', output: 'b', images: ['x.png'] }],
    ['nothing_trained', turns('a', { weight: 0 })],
    ['fractional_weight', turns('a', { weight: 0.5 })],
    [
      'prompt_trained',
      {
        messages: [
          { role: 'user', content: 'a', loss: true },
          { role: 'assistant', content: 'b' },
        ],
      },
    ],
    ['unknown_role', { messages: [{ role: 'narrator', content: 'a' }] }],
    ['unsupported_layout', { prompt: 'a', completion: 'b' }],
    ['foreign_ids', { input_ids: [9e6, 2], labels: [-100, 2] }],
    ['first_token_trained', { input_ids: [1, 2], labels: [1, 2] }],
    ['wrong_lengths', { input_ids: [1, 2], labels: [-100] }],
    ['cannot_write', { messages: [...turns('a').messages, { role: 'user', content: 'b' }] }],
    ['too_long', turns('word '.repeat(30_000))],
  ];
  const good = { ...turns('a', { tool_calls: [call], refusal: 'no' }), topic: 'x', tools: [{ name: 'f' }] };
  const file = writeRowFile(path.join(folder, 'bad.jsonl'), [...rows.map(([, row]) => row), good]);
  const { mix } = await writeMixed('bad', { mix: [{ file }], cutoff_len: 20_001 });
  const counted = Object.entries(mix![0]!.left_out).map(([reason, left]) => [reason, left.rows]);
  expect(Object.fromEntries(counted)).toEqual(
    Object.fromEntries(
      Map.groupBy(rows, ([reason]) => reason)
        .entries()
        .map(([reason, of]) => [reason, of.length]),
    ),
  );
  expect(mix![0]).toMatchObject({ rows_read: 14, taken: 1, not_read: { topic: 1, 'messages[].refusal': 1 } });
  expect(mix![0]!.left_out.unknown_role!.first).toMatch(/^bad\.jsonl line 7: messages\[0\]/);
});

test('a weight of a file weighs the loss of its rows, in formats that carry weights', async () => {
  const file = files[0]!;
  const mix = [{ file, rows: 2, weight: 0.5 }];
  const manifest = await writeMixed('weighed', { mix, formats: ['verl'] });
  expect(manifest.mix![0]).toMatchObject({ weight: 0.5, taken: 2, not_drawn: 4 });
  const rows = await valuesOf(path.join(folder, 'weighed/verl/sft.parquet'));
  const weightsOf = (row: Record<string, unknown>) => new Set(row.loss_mask as number[]);
  expect(weightsOf(rows.at(-1)!)).toEqual(new Set([0, 0.5]));
  expect(weightsOf(rows[0]!)).toEqual(new Set([0, 1]));
  expect(await errorsOf('weighed')).toEqual([]);
  await expect(writeMixed('unweighed', { mix, formats: ['tokenized'] })).rejects.toThrow(UserError);
  await expect(writeMixed('afm', { mix: [{ file }], formats: ['afm'] })).rejects.toThrow(UserError);
});
