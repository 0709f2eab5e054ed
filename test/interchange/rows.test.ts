import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import {
  type RowBytes,
  readRows,
  splitJsonValues,
  splitLines,
} from '../../teachers/importers/createImportSource.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coa-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function* chunked(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Split = typeof splitLines;

async function rowsOf(split: Split, text: string, size: number, mostBytes = 1 << 20): Promise<RowBytes[]> {
  const rows: RowBytes[] = [];
  for await (const row of split(chunked(Buffer.from(text), size), mostBytes)) rows.push(row);
  return rows;
}

const objects = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 6 });
const layouts: readonly [title: string, split: Split, write: (values: unknown[]) => string][] = [
  [
    'one value a line',
    splitLines,
    (values) => values.map((value) => `${JSON.stringify(value)}\n`).join('\n'),
  ],
  ['an array', splitJsonValues, (values) => JSON.stringify(values)],
  ['an array over many lines', splitJsonValues, (values) => JSON.stringify(values, null, 2)],
  [
    'an array, one value a line',
    splitJsonValues,
    (values) => `[\n${values.map((v) => JSON.stringify(v)).join(',\n')}\n]\n`,
  ],
  [
    'values one after another',
    splitJsonValues,
    (values) => values.map((v) => JSON.stringify(v, null, 1)).join('\n'),
  ],
];

test.each(layouts)('%s is read back whatever the chunks', async (_, split, write) => {
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (values, size) => {
      const rows = await rowsOf(split, write(values), size);
      expect(rows.map((row) => JSON.parse(row!.toString()) as unknown)).toEqual(
        JSON.parse(JSON.stringify(values)),
      );
    }),
    { numRuns: 150 },
  );
});

test('an array of scalars has its elements as rows', async () => {
  const rows = await rowsOf(splitJsonValues, '["a,]b", 1, null ,[2]]', 3);
  expect(rows.map(String)).toEqual(['"a,]b"', '1', 'null', '[2]']);
});

test.each([
  ['lines', splitLines, '{"a":"xxxxxxxxxxxxxxxxxxxx"}\n{"b":1}\n'],
  ['values', splitJsonValues, '[{"a":"xxxxxxxxxxxxxxxxxxxx"},{"b":1}]'],
] as const)('a row that is too long is passed over, the next one read (%s)', async (_, split, text) => {
  const [long, next] = await rowsOf(split, text, 5, 10);
  expect(long).toBeUndefined();
  expect(String(next)).toBe('{"b":1}');
});

test('a row that is no JSON is a row of its own; a byte-order mark is none', async () => {
  const path = join(folder, 'mixed.jsonl');
  await writeFile(path, '\ufeff{"a":1}\n{"b":\n\n{"c":3}');
  const rows = [];
  for await (const row of readRows(path)) rows.push(row);
  expect(rows).toMatchObject([
    { ok: true, number: 1, value: { a: 1 } },
    { ok: false, number: 2, error: expect.stringContaining('not JSON') },
    { ok: true, number: 3, value: { c: 3 } },
  ]);
});

test.each([
  ['a missing file', 'nothing.jsonl', undefined, 'no such file'],
  ['a binary file', 'image.json', Buffer.from([0x89, 0x50, 0, 1]), 'not a text file'],
  ['a folder', '.', undefined, 'is a folder'],
])('%s is said to be one', async (_, name, bytes, message) => {
  const path = join(folder, name);
  if (bytes) await writeFile(path, bytes);
  const reading = (async () => {
    for await (const _row of readRows(path));
  })();
  await expect(reading).rejects.toThrow(UserError);
  await expect(reading).rejects.toThrow(message);
});
