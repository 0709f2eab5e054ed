import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../base/rows/fileRow.ts';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
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

test('empty lines are one piece, and rows behind them keep their line', async () => {
  const file = path.join(temporaryFolder(), 'a.jsonl');
  writeFileSync(file, `{"a":1}${'\n'.repeat(20_000_000)}{"a":2}\n`);
  const rows = await rowsAt(file);
  expect(rows.map(({ line }) => line)).toEqual([1, 20_000_001]);
});
