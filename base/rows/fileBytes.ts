import { createReadStream, type ReadStream } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { systemErrorCode } from '../files/diskError.ts';
import { UserError } from '../userError.ts';

/** How a file of text is packed, as `fileKind` names it. */
export type Packing = 'gzip' | 'Zstandard';

/** A file to read: bytes on disk, and how they are packed. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
  /** Undefined for a plain file. */
  readonly packing: Packing | undefined;
}

/** Told how many bytes of the file itself were read. */
type OnRead = (bytes: number) => void;

const chunkBytes = 256 * 1024;

/**
 * From here on a file may not hold more than so many times its size: rows of tasks swell to some 5 to 30 times, a bomb
 * to 1,000 times and more.
 */
const MAX_SWELLING = 200;
const MIN_BOMB_BYTES = 8 * 1024 * 1024;

/**
 * A file's bytes, unpacked, one chunk in memory at a time.
 *
 * @throws UserError for a packed file that is damaged or a bomb
 */
export async function* fileBytes(file: PackedFile, onRead: OnRead = () => {}): AsyncGenerator<Buffer> {
  const { path, size, packing } = file;
  if (!packing) return yield* counted(createReadStream(path, { highWaterMark: chunkBytes }), onRead);
  const most = Math.max(size * MAX_SWELLING, MIN_BOMB_BYTES);
  let unpacked = 0;
  for await (const bytes of explained(file, onRead)) {
    unpacked += bytes.length;
    if (unpacked > most)
      throw new UserError(
        `${path}: holds more than ${MAX_SWELLING} times its ${size} bytes; unpack it yourself if you trust it`,
      );
    yield bytes;
  }
}

async function* counted(stream: ReadStream, onRead: OnRead): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onRead(stream.bytesRead);
    yield chunk;
  }
}

async function* explained(file: PackedFile, onRead: OnRead): AsyncGenerator<Buffer> {
  try {
    yield* file.packing === 'gzip' ? unzipped(file, onRead) : unpackedFrames(file, onRead);
  } catch (error) {
    if (!/^(?:Z_|ZSTD_|ERR_)/.test(systemErrorCode(error) ?? '')) throw error;
    throw new UserError(
      `${file.path}: broken ${file.packing} file (${(error as Error).message}); get it again`,
      {
        cause: error,
      },
    );
  }
}

async function* unzipped({ path }: PackedFile, onRead: OnRead): AsyncGenerator<Buffer> {
  const stream = createReadStream(path);
  for await (const chunk of through<Buffer>(stream, createGunzip())) {
    onRead(stream.bytesRead);
    yield chunk;
  }
}

/** Node's own decompressor ends after the first frame without a word; `pzstd` and `cat` make files of many. */
async function* unpackedFrames({ path, size }: PackedFile, onRead: OnRead): AsyncGenerator<Buffer> {
  for (let start = 0; start < size; ) {
    const frame = createZstdDecompress();
    for await (const chunk of through<Buffer>(createReadStream(path, { start }), frame)) {
      onRead(start + frame.bytesWritten);
      yield chunk;
    }
    if (frame.bytesWritten === 0) return;
    start += frame.bytesWritten;
  }
}

/**
 * What a transformation makes of a source. Throws the error of either. Node's `compose` now and then let the error of a
 * broken file past every listener, which ends the process, and then waited for ever.
 */
export async function* through<Piece>(source: Readable, transformation: Duplex): AsyncGenerator<Piece> {
  source.on('error', (error) => transformation.destroy(error)).pipe(transformation);
  try {
    yield* transformation as AsyncIterable<Piece>;
  } finally {
    source.destroy();
  }
}
