import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Table as ArrowTable, tableToIPC, vectorFromArray } from 'apache-arrow';
import { Table, writeParquet } from 'parquet-wasm';
import { jsonLines } from '../cli/support/project.ts';
import { alpacaRow, cleanText } from './datasetRows.ts';

/** Rows that are tasks and trajectories at once. */
export const sampleRows = ['one', 'two'].map((id) => ({
  id,
  question: `Which river flows past town number ${id}?`,
  answer: 'Danube',
  ...alpacaRow(cleanText),
  input: `Question: Which river flows past town number ${id}?`,
}));
const lines = jsonLines(sampleRows);
const table = new ArrowTable(
  Object.fromEntries(
    Object.keys(sampleRows[0]!).map((name) => [
      name,
      vectorFromArray(sampleRows.map((row) => row[name as 'id'])),
    ]),
  ),
);
const stream = tableToIPC(table, 'stream');
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const csv = [Object.keys(sampleRows[0]!), ...sampleRows.map((row) => Object.values(row))]
  .map((cells) => `${cells.map(quoted).join(',')}\n`)
  .join('');

const good: Readonly<Record<string, string | Uint8Array>> = {
  'lines.jsonl': lines,
  'lines.json': lines,
  'list.json': JSON.stringify(sampleRows, null, 2),
  'wrapped.json': JSON.stringify({ version: [1], data: sampleRows, more: {} }),
  'values.json': sampleRows.map((row) => JSON.stringify(row, null, 2)).join('\n'),
  'no ending': lines,
  'lines.jsonl.gz': gzipSync(lines),
  'list.json.zst': zstdCompressSync(JSON.stringify(sampleRows)),
  'table.csv': csv,
  'table.csv.gz': gzipSync(csv),
  'columns.parquet': writeParquet(Table.fromIPCStream(stream)),
  'columns.arrow': stream,
  'saved/data-00000-of-00001.arrow': stream,
  'saved/state.json': '{"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}',
  'saved/dataset_info.json': '{}',
};

const bad: Readonly<Record<string, string | Uint8Array>> = {
  'empty.jsonl': '',
  'cut.jsonl': `${lines}{"instruction": "A`,
  'cut.json': `[${lines.trim().replace('\n', ',')}, {"ins`,
  'gzip.jsonl': gzipSync(lines),
  'plain.jsonl.gz': lines,
  'utf16.jsonl': Buffer.from(`\uFEFF${lines}`, 'utf16le'),
  'cut.jsonl.gz': gzipSync(lines).subarray(0, -9),
  'cut.jsonl.zst': zstdCompressSync(lines).subarray(0, -6),
  'words.jsonl': 'hello\n',
  'cut.parquet': Buffer.from(writeParquet(Table.fromIPCStream(stream))).subarray(0, -30),
  'cut.arrow': stream.subarray(0, stream.length / 2),
  'folder/notes.md': 'nothing',
};

/** Names of what can be read: each holds the sample rows. */
export const readable = [...Object.keys(good).filter((name) => !name.startsWith('saved/')), 'saved'];

/** Names of what can't, `pipe` and a missing file among them. */
export const unreadable = [
  ...Object.keys(bad).map((name) => name.replace(/^folder\/.*/, 'folder')),
  'pipe',
  '/dev/zero',
  'nowhere.jsonl',
];

/** Writes all of them into a folder. */
export function writeRowFiles(folder: string): void {
  for (const [name, content] of Object.entries({ ...good, ...bad })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
}
