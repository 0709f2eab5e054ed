import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../base/rows/fileRow.ts';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { readCsv } from '../../../base/rows/readCsv.ts';
import { rowFilesAt } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
import { collected } from '../../support/collected.ts';
import { readable, sampleRows, unreadable, writeRowFiles } from '../../support/rowFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

async function rowsAt(place: string): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for (const file of await rowFilesAt(place))
    for await (const row of (await openRowFile(file.path)).rows()) rows.push(row);
  return rows;
}

test('every kind of file gives the same rows', async () => {
  const folder = temporaryFolder();
  writeRowFiles(folder);
  for (const name of readable) {
    const rows = await rowsAt(path.join(folder, name));
    expect(
      rows.map((row) => 'value' in row && row.value),
      name,
    ).toEqual(sampleRows);
    expect(
      rows.map(({ row }) => row),
      name,
    ).toEqual([1, 2]);
  }
});

test('what can not be read is one message that names it', async () => {
  const folder = temporaryFolder();
  writeRowFiles(folder);
  for (const name of unreadable) {
    const error = await rowsAt(path.resolve(folder, name)).catch((thrown: unknown) => thrown);
    expect(error, name).toBeInstanceOf(UserError);
    expect((error as UserError).message, name).toContain(name);
    expect((error as UserError).message, name).not.toContain('\n');
  }
});

test.each([
  ['a.json', '{"a":1}\n{"a":2}\n', 'json_lines'],
  ['a.json', '{"a":\n1}\n{"a":2}\n', 'json_values'],
  ['a.jsonl', '{"a":\n{"a":2}\n', 'json_lines'],
  ['a.jsonl', '{"data":[1]}\n', 'json_lines'],
  ['a.json', '{"data":[1]}\n', 'json_list'],
  ['a.json', '{"data":[1]}\n{"data":[2]}\n', 'json_lines'],
  ['a.jsonl', '[{"a":1}]\n[{"a":2}]\n', 'json_lines'],
  ['a.jsonl', '[{"a":1},\n{"a":2}]\n', 'json_list'],
  ['a', '\uFEFF  [\n]', 'json_list'],
])('%s with %j is of the format %s', async (name, text, format) => {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, text);
  expect((await openRowFile(file)).format).toBe(format);
});

test.each(['\n', '\r\n', ' \t\n'])(
  'empty lines (%j) are one piece, and rows behind them keep their line',
  async (feed) => {
    const file = path.join(temporaryFolder(), 'a.jsonl');
    const empty = 5_000_000;
    writeFileSync(file, `{"a":1}\n${feed.repeat(empty)}{"a":2}\n`);
    let pieces = 0;
    for await (const _ of (await openRowFile(file)).cut()) pieces += 1;
    expect(pieces).toBeLessThan(1_000);
    expect((await rowsAt(file)).map(({ line }) => line)).toEqual([1, empty + 2]);
  },
);

test('empty lines of CSV cost little', async () => {
  const file = path.join(temporaryFolder(), 'a.csv');
  writeFileSync(file, `a,b\r\n1,"2\r\n\r\n"\r\n${'\n'.repeat(5_000_000)}3,4`);
  const start = process.cpuUsage();
  const rows = await rowsAt(file);
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(6);
  expect(rows).toMatchObject([
    { row: 1, line: 4, value: { a: '1', b: '2\n\n' } },
    { row: 2, line: 5_000_005, value: { a: '3', b: '4' } },
  ]);
});

test('CSV is read the same in pieces of any size, and names the line that is not UTF-8', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '💧', '"', ',', '\n', '\r\n', ' ', '7') });
  const written = (cells: readonly string[]) =>
    cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',');
  async function* inPieces(bytes: Buffer, size: number) {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 20 }),
      async (rows, feed, size) => {
        const text = `\uFEFFx,y${feed}${rows.map(written).join(feed)}`;
        const read = await collected(readCsv('a.csv', inPieces(Buffer.from(text), size)));
        const plain = (one: string) => one.replaceAll('\r\n', '\n');
        expect(read).toMatchObject(rows.map(([x, y]) => ({ value: { x: plain(x), y: plain(y) } })));
      },
    ),
  );
  const broken = Buffer.concat([
    Buffer.from('x,y\n1,2\n3,'),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('5,6\n'),
  ]);
  for (const size of [1, 7, 100])
    await expect(collected(readCsv('a.csv', inPieces(broken, size)))).rejects.toThrow(/^a\.csv line 3: /);
});
