import { closeSync, readSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { onDisk } from '../../base/files/diskError.ts';
import { openUnnamedFile } from '../../base/files/unnamedFile.ts';
import { UserError } from '../../base/userError.ts';
import { type DatasetFileKind, detectFormat } from '../../output/lint/read/detectFormat.ts';
import type { FileRow } from '../../output/lint/read/fileRow.ts';
import { type Between, readJsonPieces, readPieces } from '../../output/lint/read/readPieces.ts';
import { createIdDecoder, type DecodeIds } from '../../output/tokenizers/decodeIds.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { plainValue, type SourceRow, whatRowSays } from './sourceRow.ts';

/** The argument that stands for a pipe. */
export const pipeName = '-';
const pipeTitle = 'standard input';

const spoolChunkBytes = 256 * 1024;
/** Bytes of a pipe by which other formats are told. */
const startBytes = 64;
/** First byte of gzip, which begins no text. */
const gzipMark = 0x1f;

/** A file that is read. */
export interface SourceFile {
  /** Path as the user gave it, or {@link pipeName}. */
  readonly path: string;
  readonly format: DatasetFileKind;
}

/** The rows of all files, one after the other, one in memory at a time. */
interface RowSource {
  readonly files: readonly SourceFile[];
  /** Begins again whenever it is iterated, where that was asked for; otherwise it can be iterated once. */
  readonly rows: AsyncIterable<SourceRow>;
  /** Removes what was put on disk for reading twice. */
  close(): Promise<void>;
}

interface OpenRowsOptions {
  /** True where the rows are read more than once: a pipe is then written to the temporary folder first. */
  readonly rereadable: boolean;
  /** Tokenizer of rows that come as ids; default: `qwen2.5`. */
  readonly tokenizer?: string;
  readonly signal: AbortSignal;
}

/**
 * Looks at what each file holds.
 *
 * @throws UserError for a file that is not there or of no known format, for files of unlike formats, and for a pipe
 * that is named twice
 */
export async function openRows(
  paths: readonly string[],
  { rereadable, tokenizer = BUNDLED_TOKENIZER, signal }: OpenRowsOptions,
): Promise<RowSource> {
  const files = await Promise.all(paths.map(sourceFile));
  refuseMixture(files);
  const spool = rereadable && paths.includes(pipeName) ? await spoolPipe(signal) : undefined;
  const decode = createIdDecoder(tokenizer);
  return {
    files,
    rows: { [Symbol.asyncIterator]: () => saidRows(readAll(files, spool, signal), decode) },
    close: async () => {
      if (spool !== undefined) closeSync(spool);
    },
  };
}

async function sourceFile(path: string): Promise<SourceFile> {
  if (path === pipeName) return { path, format: 'json_lines' };
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) throw new UserError(`${path}: it is a folder; name the files in it`);
  // Rows are read more than once, which a pipe such as `<(zcat a.gz)` does not allow.
  if (status && !status.isFile())
    throw new UserError(`${path}: it is no plain file; send it to standard input and name ${pipeName}`);
  return { path, format: await detectFormat(path) };
}

function refuseMixture(files: readonly SourceFile[]): void {
  if (files.filter(({ path }) => path === pipeName).length > 1)
    throw new UserError(`${pipeName}: ${pipeTitle} can be read once only; name it once`);
  const parquet = files.find(({ format }) => format === 'parquet');
  const json = files.find(({ format }) => format !== 'parquet');
  if (!parquet || !json) return;
  throw new UserError(
    `${parquet.path} is parquet and ${nameOf(json)} is JSON; rows leave as they came, so name files of one kind`,
  );
}

/** Writes standard input to an unnamed file, to be read more than once. */
async function spoolPipe(signal: AbortSignal): Promise<number> {
  const spool = await onDisk(tmpdir(), async () => openUnnamedFile());
  try {
    for await (const chunk of addAbortSignal(signal, process.stdin)) writeFileSync(spool, chunk);
    return spool;
  } catch (error) {
    closeSync(spool);
    throw signal.aborted ? signal.reason : error;
  }
}

async function* readAll(
  files: readonly SourceFile[],
  spool: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Omit<SourceRow, 'said'>> {
  let index = 0;
  for (const file of files) {
    for await (const piece of stoppable(piecesOf(file, spool, signal), signal)) {
      if (piece.kind === 'between') continue;
      const { row, line, bytes } = piece;
      yield { index: index++, file: nameOf(file), row, line, bytes, parsed: parsedOf(piece, file) };
    }
  }
}

async function* saidRows(
  rows: AsyncIterable<Omit<SourceRow, 'said'>>,
  decode: DecodeIds,
): AsyncGenerator<SourceRow> {
  for await (const row of rows) yield { ...row, said: await whatRowSays(row.parsed, decode) };
}

/** Ends with the signal's reason, whatever the reading ends with. */
async function* stoppable<T>(pieces: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      yield piece;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

function piecesOf(
  { path, format }: SourceFile,
  spool: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Between | FileRow> {
  if (path !== pipeName) return readPieces(path, format);
  // Without the signal, a pipe that nobody writes to could not be left.
  const chunks = spool === undefined ? addAbortSignal(signal, process.stdin) : chunksOf(spool);
  return readJsonPieces(jsonLinesOf(chunks), pipeTitle, 'json_lines');
}

/** A file from its start. A stream would read on after its reader has left and closed the file. */
async function* chunksOf(descriptor: number): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(spoolChunkBytes);
    const bytesRead = readSync(descriptor, chunk, 0, spoolChunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** The chunks themselves. Throws `UserError` where they begin as nothing does that comes in lines. */
async function* jsonLinesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) refuseOtherFormats(chunk);
    isFirst = false;
    yield chunk;
  }
}

function refuseOtherFormats(start: Buffer): void {
  const found = otherFormat(start);
  if (found !== undefined) throw new UserError(`${pipeTitle}: expected JSON lines, found ${found}`);
}

/** What is sent to a pipe by mistake, and what to do instead; undefined for what may be JSON lines. */
function otherFormat(start: Buffer): string | undefined {
  if (start[0] === gzipMark) return 'gzip; unpack it first, with zcat';
  const text = start.toString('utf8', 0, startBytes).replace(/^\uFEFF/, '');
  if (text.startsWith('PAR1')) return 'parquet; name the file instead';
  return text.trimStart().startsWith('[') ? 'a JSON list; name the file instead' : undefined;
}

function parsedOf({ parsed }: FileRow, { format }: SourceFile): SourceRow['parsed'] {
  return format === 'parquet' && 'value' in parsed ? { value: plainValue(parsed.value) } : parsed;
}

function nameOf({ path }: SourceFile): string {
  return path === pipeName ? pipeTitle : path;
}
