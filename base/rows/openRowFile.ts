import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { dateText } from '../dateText.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readParquetRows } from '../parquet/readParquetRows.ts';
import { UserError } from '../userError.ts';
import { readCsv } from './readCsv.ts';
import { readJson, readJsonLines } from './readJson.ts';
import type { FileRow, RowFile, RowUnit } from './rowFile.ts';

interface RowFormat {
  readonly unit: RowUnit;
  read(file: string): AsyncIterable<FileRow>;
}

const formats: Readonly<Record<string, RowFormat>> = {
  '.jsonl': { unit: 'line', read: readJsonLines },
  '.ndjson': { unit: 'line', read: readJsonLines },
  '.json': { unit: 'row', read: readJson },
  '.csv': { unit: 'line', read: readCsv },
  '.parquet': { unit: 'row', read: readParquet },
};

/** Endings of files that hold rows, for messages. */
export const rowFileEndings = Object.keys(formats).join(', ');

/** What Hugging Face's `datasets` writes beside the rows. */
const notRows: readonly string[] = [
  'dataset_info.json',
  'dataset_infos.json',
  'dataset_dict.json',
  'state.json',
];

/** Opens a file of rows by its ending. Throws `UserError` when it is missing, empty, no file, or of no known ending. */
export async function openRowFile(file: string): Promise<RowFile> {
  const format = formatOf(file);
  if (!format) {
    throw new UserError(
      `${file}: a file of rows ends in ${rowFileEndings}, not ${path.extname(file) || 'in nothing'}; rename or convert it`,
    );
  }
  await assertReadable(file);
  return { unit: format.unit, rows: () => format.read(file) };
}

function formatOf(file: string): RowFormat | undefined {
  const ending = path.extname(file).toLowerCase();
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
}

async function assertReadable(file: string): Promise<void> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    const why = found.code === 'ENOENT' ? 'there is no such file' : `it can't be read (${found.code})`;
    throw new UserError(`${file}: ${why}; check the path`);
  }
  if (!found.isFile()) throw new UserError(`${file}: expected a file, found a folder or a device`);
  if (found.size === 0) throw new UserError(`${file}: it is empty; it needs at least one row`);
}

/** Rows of a parquet file, one row group in memory at a time. */
async function* readParquet(file: string): AsyncGenerator<FileRow> {
  for await (const { row, value } of readParquetRows(file))
    yield { row, value: jsonValue(value) as JsonObject };
}

/** A cell as JSON: 64-bit integers that a double can't hold and dates become text, bytes become base64. */
function jsonValue(value: unknown): JsonValue {
  if (typeof value === 'bigint') {
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
      ? Number(value)
      : `${value}`;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return dateText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(jsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, cell]) => [key, jsonValue(cell)]));
}

/** Whether a file of a data set's folder holds rows, by its name without the folder. */
function isRowFile(name: string): boolean {
  return formatOf(name) !== undefined && !notRows.includes(name);
}

/** The files of rows in a folder at any depth, by their paths in it in order; hidden files and folders are left out. */
export async function rowFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isRowFile(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.split(path.sep).some((part) => part.startsWith('.')))
    .sort();
}
