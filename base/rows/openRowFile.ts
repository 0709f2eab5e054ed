import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { dateText } from '../dateText.ts';
import { fileKind } from '../files/fileKind.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readParquetRows } from '../parquet/readParquetRows.ts';
import { UserError } from '../userError.ts';
import { readArrowRows } from './readArrowRows.ts';
import { readCsv } from './readCsv.ts';
import { readJson, readJsonLines } from './readJson.ts';
import { packedEndings, packingOf } from './rowBytes.ts';
import type { FileRow, RowFile, RowUnit } from './rowFile.ts';

interface RowFormat {
  readonly unit: RowUnit;
  /** What such a file is by its first bytes, as `fileKind` names it; undefined for text, which may be packed. */
  readonly kind?: 'parquet' | 'Arrow';
  read(file: string): AsyncIterable<FileRow>;
}

const formats: Readonly<Record<string, RowFormat>> = {
  '.jsonl': { unit: 'line', read: readJsonLines },
  '.ndjson': { unit: 'line', read: readJsonLines },
  '.json': { unit: 'row', read: readJson },
  '.csv': { unit: 'line', read: readCsv },
  '.parquet': { unit: 'row', kind: 'parquet', read: readParquet },
  '.arrow': { unit: 'row', kind: 'Arrow', read: readArrow },
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
const cacheFile = /^cache-[0-9a-f]+\.arrow$/;

/**
 * Opens a file of rows by its ending; text may be packed (`.jsonl.gz`, `.csv.zst`).
 *
 * @throws UserError when it is missing, empty, no file, of no known ending, or not what its ending says
 */
export async function openRowFile(file: string): Promise<RowFile> {
  const format = formatOf(file);
  if (!format) {
    throw new UserError(
      `${file}: a file of rows ends in ${rowFileEndings}, or one of text in ${packedEndings.join(' or ')} behind that, not ${path.extname(file) || 'in nothing'}; rename or convert it`,
    );
  }
  await assertReadable(file);
  await assertKind(file, packingOf(file)?.kind ?? format.kind);
  return { unit: format.unit, rows: () => format.read(file) };
}

function formatOf(file: string): RowFormat | undefined {
  const packed = packingOf(file) ? path.extname(file) : '';
  const ending = path.extname(path.basename(file, packed)).toLowerCase();
  const format = Object.hasOwn(formats, ending) ? formats[ending] : undefined;
  return packed !== '' && format?.kind ? undefined : format;
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

/** How much of a file shows what it is. */
const START_BYTES = 4096;

/** Damage is found by whoever reads the rows; here what is something else altogether. */
async function assertKind(file: string, expected: string | undefined): Promise<void> {
  const kind = fileKind(await startOf(file));
  if (kind === expected || kind === 'binary') return;
  if (kind === undefined && expected !== 'gzip' && expected !== 'Zstandard') return;
  const advice = kind === 'UTF-16' ? 'save it as UTF-8' : 'rename it to what it is, or unpack it';
  const found = kind === undefined ? 'plain text' : kind === 'UTF-16' ? 'text in UTF-16' : `a ${kind} file`;
  throw new UserError(`${file}: expected ${expected ?? 'text'} by its ending, found ${found}; ${advice}`);
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Whether a file of a data set's folder holds rows, by its name without the folder. */
export function isRowFile(name: string): boolean {
  return formatOf(name) !== undefined && !notRows.includes(name) && !cacheFile.test(name);
}

async function* readArrow(file: string): AsyncGenerator<FileRow> {
  for await (const { row, value } of readArrowRows(file))
    yield { row, value: jsonValue(value) as JsonObject };
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
