import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileKind } from '../files/fileKind.ts';
import { safeParseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import { fileBytes, type PackedFile } from './fileBytes.ts';
import type { ListPlace } from './jsonCutter.ts';

/** Storage layouts of rows in a file. */
export type RowFormat = 'json_list' | 'json_lines' | 'json_values' | 'csv' | 'parquet' | 'arrow';

/** A file with its detected format. */
export interface FoundFormat extends PackedFile {
  readonly format: RowFormat;
  /** Position of the list. */
  readonly list?: ListPlace;
}

/** Kind of a row file by its extension: text, or as `fileKind` names it. */
const kindsByEnding: Readonly<Record<string, string>> = {
  '.jsonl': 'text',
  '.ndjson': 'text',
  '.json': 'text',
  '.csv': 'text',
  '.parquet': 'parquet',
  '.arrow': 'Arrow',
};
const packedKinds: Readonly<Record<string, string>> = { '.gz': 'gzip', '.zst': 'Zstandard' };

/** Extensions of row files, for messages. */
export const rowFileEndings = `${Object.keys(kindsByEnding).join(', ')} (text also with ${Object.keys(packedKinds).join(' or ')} behind it)`;

/** True if a file name has an extension of row files. */
export function hasRowEnding(name: string): boolean {
  const { packed, ending } = endingsOf(name);
  const kind = kindsByEnding[ending];
  return packed === '' ? kind !== undefined : kind === 'text';
}

function endingsOf(name: string): { readonly packed: string; readonly ending: string } {
  const last = path.extname(name).toLowerCase();
  if (!Object.hasOwn(packedKinds, last)) return { packed: '', ending: last };
  return { packed: last, ending: path.extname(name.slice(0, -last.length)).toLowerCase() };
}

/** Bytes at a file's start used for detection. */
const START_BYTES = 64 * 1024;

/**
 * Storage format of a file's rows. The first bytes decide; the extension marks CSV and tells lines from multi-line
 * values.
 * @throws UserError for what is not a plain file, can't be read, is empty, or is not what its ending says
 */
export async function rowFormatOf(file: string): Promise<FoundFormat> {
  const size = await plainFileSize(file);
  if (size === 0) throw new UserError(`${file}: the file is empty; it needs at least one row`);
  const start = await startOf(file);
  const { packed, ending } = endingsOf(file);
  const outer = kindOf(file, start, packedKinds[packed] ?? kindsByEnding[ending]);
  if (outer === 'parquet') return { path: file, size, packing: undefined, format: 'parquet' };
  if (outer === 'Arrow') return { path: file, size, packing: undefined, format: 'arrow' };
  if (outer === 'text') return { path: file, size, packing: undefined, ...textFormat(file, start, ending) };
  const packedFile = { path: file, size, packing: outer };
  const unpacked = await unpackedStart(packedFile);
  const inner = rowKind(unpacked);
  if (inner !== 'text')
    throw new UserError(`${file}: expected text in the ${outer} file, found ${named(inner)}; unpack it`);
  return { ...packedFile, ...textFormat(file, unpacked, ending) };
}

/**
 * Size of a file that can be read repeatedly.
 * @throws UserError for what is not there, a folder, and a named pipe or device, of which a reader might wait for ever
 */
export async function plainFileSize(file: string): Promise<number> {
  const status = await stat(file).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT' ? 'there is no such file or folder' : `it can't be read (${error.code})`;
    throw new UserError(`${file}: ${why}; check the path`, { cause: error });
  });
  if (status.isDirectory()) throw new UserError(`${file}: it is a folder; name the files in it`);
  if (!status.isFile())
    throw new UserError(`${file}: not a plain file, but a pipe or a device; write its rows to a file`);
  return status.size;
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file}: it can't be read (${error.code}); check its permissions`, { cause: error });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function unpackedStart(file: PackedFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of fileBytes(file)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= START_BYTES) break;
  }
  return Buffer.concat(chunks);
}

const spreadsheetEnding = /\.(?:xls[xmb]?|ods)$/i;

const readKinds = ['text', 'parquet', 'Arrow', 'gzip', 'Zstandard'] as const;

/** Kind of a file by its first bytes. Throws `UserError` for a file without rows or of an unexpected kind. */
function kindOf(file: string, start: Uint8Array, expected: string | undefined): (typeof readKinds)[number] {
  const kind = rowKind(start);
  const read = readKinds.find((known) => known === kind);
  if (read !== undefined && read === (expected ?? read)) return read;
  const advice = spreadsheetEnding.test(file)
    ? 'save its sheet as a CSV file in UTF-8'
    : kind === 'UTF-16'
      ? 'save it as UTF-8'
      : 'rename it to what it is, or unpack it';
  const wanted = expected === undefined ? 'JSON, parquet or Arrow' : `${expected} by its ending`;
  throw new UserError(`${file}: expected ${wanted}, found ${named(kind)}; ${advice}`);
}

/** Invalid UTF-8 is a problem of its row, but NUL bytes never occur in text. */
function rowKind(start: Uint8Array): string {
  const kind = fileKind(start) ?? 'text';
  return kind === 'binary' && !start.includes(0) ? 'text' : kind;
}

function named(kind: string): string {
  if (kind === 'text') return 'plain text';
  return kind === 'UTF-16' ? 'text in UTF-16' : `${kind === 'Arrow' ? 'an' : 'a'} ${kind} file`;
}

/**
 * How rows of text are stored.
 *
 * @param start the first bytes of the text
 * @param ending of the file, without that of packing
 * @throws UserError that names `file` for text that is neither JSON nor CSV by its ending
 */
export function textFormat(
  file: string,
  start: Buffer,
  ending: string,
): Pick<FoundFormat, 'format' | 'list'> {
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const [first] = text;
  if (first === undefined) {
    if (start.length >= START_BYTES) return { format: 'json_lines' };
    throw new UserError(`${file}: holds no rows; it needs at least one`);
  }
  const isJson = first === '[' || first === '{';
  if (ending === '.csv') {
    if (!isJson) return { format: 'csv' };
    throw new UserError(`${file}: expected CSV by its ending, found JSON; rename it to what it is`);
  }
  if (!isJson)
    throw new UserError(
      `${file}: expected a JSON list ([), JSON lines ({), or CSV in a file that ends in .csv, found ${JSON.stringify(first)}`,
    );
  const before = first === '[' ? first : wrapperOf(text, ending);
  if (before === undefined || isListALine(text))
    return { format: isInLines(text, ending) ? 'json_lines' : 'json_values' };
  const from = start.indexOf(first) + Buffer.byteLength(before) - 1;
  return { format: 'json_list', list: { from, isWrapped: first === '{' } };
}

/** Throws `UserError` if the first bytes of a pipe cannot be JSON lines. */
export function assertJsonLines(name: string, start: Buffer): void {
  const kind = rowKind(start);
  const isList = /^\uFEFF?\s*\[/.test(start.toString('utf8'));
  if (kind === 'text' && !isList) return;
  const found = isList ? 'a JSON list' : named(kind);
  throw new UserError(`${name}: expected JSON lines, found ${found}; name the file instead`);
}

const lineEndings: readonly string[] = ['.jsonl', '.ndjson'];

/** Start of an object with a list under `data`, after other members. */
const wrapper =
  /^\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+|\{[^{}]*\}|\[[^[\]]*\])\s*,\s*)*"data"\s*:\s*\[/;

/** Text before the rows of a file that is one object with a list under `data`. */
function wrapperOf(text: string, ending: string): string | undefined {
  const isOneLine = restOf(text) === '';
  if (lineEndings.includes(ending) || (!isOneLine && firstLineParses(text))) return undefined;
  return wrapper.exec(text)?.[0];
}

/** True if each line is a list, and so a row. */
function isListALine(text: string): boolean {
  return text.startsWith('[') && restOf(text).startsWith('[') && firstLineParses(text);
}

/** True if the first line is a complete value, or too long to tell. */
function isInLines(text: string, ending: string): boolean {
  const isTooLong = !text.includes('\n') && text.length >= START_BYTES / 4;
  return lineEndings.includes(ending) || isTooLong || firstLineParses(text);
}

function firstLineParses(text: string): boolean {
  const end = text.indexOf('\n');
  return safeParseJson(end < 0 ? text : text.slice(0, end)).ok;
}

/** Text after the first line. */
function restOf(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(end).trimStart();
}
