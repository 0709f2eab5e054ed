import { createReadStream, type ReadStream } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { systemErrorCode } from '../files/diskError.ts';
import { UserError } from '../userError.ts';

/** Compression of a text file, as `fileKind` names it. */
export type Packing = 'gzip' | 'Zstandard';

/** A file to read, with its size and compression. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
  /** Undefined for a plain file. */
  readonly packing: Packing | undefined;
}

/** Called with the number of bytes read from the file itself. */
type OnRead = (bytes: number) => void;

const chunkBytes = 256 * 1024;

/** Maximum expansion of a packed file: rows of tasks expand 5 to 30 times, a bomb 1,000 times and more. */
const MAX_SWELLING = 200;
const MIN_BOMB_BYTES = 8 * 1024 * 1024;

/**
 * Unpacked bytes of a file, one chunk in memory at a time.
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

/** Reads all frames: Node's decompressor silently ends after the first, and `pzstd` and `cat` write several. */
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
 * Output of a transformation of a source. Throws the error of either. Replaces Node's `compose`, which sometimes lost
 * the error of a broken file, ending the process or hanging.
 */
export async function* through<Piece>(source: Readable, transformation: Duplex): AsyncGenerator<Piece> {
  source.on('error', (error) => transformation.destroy(error)).pipe(transformation);
  try {
    yield* transformation as AsyncIterable<Piece>;
  } finally {
    source.destroy();
  }
}
