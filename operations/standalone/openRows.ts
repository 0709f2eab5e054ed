import { closeSync, readSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { onDisk } from '../../base/files/diskError.ts';
import { openUnnamedFile } from '../../base/files/unnamedFile.ts';
import type { FileRow } from '../../base/rows/fileRow.ts';
import { jsonLineRows, openRowFile, type RowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { assertJsonLines } from '../../base/rows/rowFormat.ts';
import { UserError } from '../../base/userError.ts';
import { createIdDecoder, type DecodeIds } from '../../output/tokenizers/decodeIds.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { type SourceRow, whatRowSays } from './sourceRow.ts';

/** Argument for standard input. */
export const pipeName = '-';
const pipeTitle = 'standard input';

const spoolChunkBytes = 256 * 1024;

/** Input file: path as given by the user or {@link pipeName}, and row format. */
export type SourceFile = Pick<RowFile, 'path' | 'format'>;

type OpenSource = SourceFile & Pick<RowFile, 'rows'>;

/** Rows of all files in sequence, streamed. */
interface RowSource {
  readonly files: readonly SourceFile[];
  /** Can be iterated several times if requested, otherwise once. */
  readonly rows: AsyncIterable<SourceRow>;
  close(): Promise<void>;
}

interface OpenRowsOptions {
  /** True to read rows more than once: a pipe is then copied to the temporary folder first. */
  readonly rereadable: boolean;
  /** Tokenizer for rows of ids; default: `qwen2.5`. */
  readonly tokenizer?: string;
  readonly signal: AbortSignal;
}

/**
 * Opens the files and detects their formats.
 *
 * @throws UserError for a missing file, an unknown format, and a pipe that is named twice
 */
export async function openRows(
  paths: readonly string[],
  { rereadable, tokenizer = BUNDLED_TOKENIZER, signal }: OpenRowsOptions,
): Promise<RowSource> {
  const isPiped = paths.includes(pipeName);
  if (isPiped && paths.indexOf(pipeName) !== paths.lastIndexOf(pipeName))
    throw new UserError(`${pipeName}: ${pipeTitle} can be read once only; name it once`);
  let spool: number | undefined;
  const pipe: OpenSource = {
    path: pipeName,
    format: 'json_lines',
    rows: () => jsonLineRows(onlyJsonLines(pipeChunks(spool, signal)), pipeTitle),
  };
  const files = (
    await Promise.all(paths.map((path) => (path === pipeName ? [pipe] : sourcesAt(path))))
  ).flat();
  if (rereadable && isPiped) spool = await spoolPipe(signal);
  const decode = createIdDecoder(tokenizer);
  return {
    files,
    rows: { [Symbol.asyncIterator]: () => readAll(files, decode, signal) },
    close: async () => {
      if (spool !== undefined) closeSync(spool);
    },
  };
}

async function sourcesAt(place: string): Promise<OpenSource[]> {
  return Promise.all((await rowFilesAt(place)).map(({ path }) => openRowFile(path)));
}

/** Copies standard input to an unnamed file for repeated reading. */
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
  files: readonly OpenSource[],
  decode: DecodeIds,
  signal: AbortSignal,
): AsyncGenerator<SourceRow> {
  let index = 0;
  for (const file of files)
    for await (const row of stoppable(file.rows(), signal))
      yield { ...row, index: index++, file: nameOf(file), said: await whatRowSays(row, decode) };
}

/** Ends with the signal's reason, whatever error the reading ends with. */
async function* stoppable(rows: AsyncGenerator<FileRow>, signal: AbortSignal): AsyncGenerator<FileRow> {
  try {
    for await (const row of rows) {
      signal.throwIfAborted();
      yield row;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** The signal allows leaving a pipe without a writer. */
function pipeChunks(spool: number | undefined, signal: AbortSignal): AsyncIterable<Buffer> {
  return spool === undefined ? addAbortSignal(signal, process.stdin) : chunksOf(spool);
}

/** Reads a file from its start. A stream would continue after its reader has closed the file. */
async function* chunksOf(descriptor: number): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(spoolChunkBytes);
    const bytesRead = readSync(descriptor, chunk, 0, spoolChunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Passes chunks through. Throws `UserError` if they do not start like lines of JSON. */
async function* onlyJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) assertJsonLines(pipeTitle, chunk);
    isFirst = false;
    yield chunk;
  }
}

function nameOf({ path }: SourceFile): string {
  return path === pipeName ? pipeTitle : path;
}
