import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { systemErrorCode } from '../files/diskError.ts';
import { UserError } from '../userError.ts';
import { through } from './through.ts';

/** A way in which a file of text may be packed, by the ending that is put behind its own. */
interface Packing {
  /** As `fileKind` names it. */
  readonly kind: string;
  unpacked(file: string): AsyncIterable<Buffer>;
}

const packings: Readonly<Record<string, Packing>> = {
  '.gz': {
    kind: 'gzip',
    unpacked: (file) => through<Buffer>(createReadStream(file), createGunzip()),
  },
  '.zst': { kind: 'Zstandard', unpacked: zstdFrames },
};

/** Endings of packed files, for messages. */
export const packedEndings = Object.keys(packings);

/** The packing that a file's ending names; undefined for a plain file. */
export function packingOf(file: string): Packing | undefined {
  const ending = path.extname(file).toLowerCase();
  return Object.hasOwn(packings, ending) ? packings[ending] : undefined;
}

/**
 * From here on a file may not hold more than so many times its size: rows of tasks swell to some 5 to 30 times, a bomb
 * to 1,000 times and more.
 */
const MAX_SWELLING = 200;
const MIN_BOMB_BYTES = 8 * 1024 * 1024;

/** A text file's bytes, unpacked where its ending says so, one piece in memory at a time. Throws `UserError`. */
export async function* rowBytes(file: string): AsyncGenerator<Buffer> {
  const packing = packingOf(file);
  if (!packing) {
    yield* createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
    return;
  }
  const { size } = await stat(file);
  const most = Math.max(size * MAX_SWELLING, MIN_BOMB_BYTES);
  let unpacked = 0;
  for await (const bytes of explained(file, packing)) {
    unpacked += bytes.length;
    if (unpacked > most)
      throw new UserError(
        `${path.basename(file)}: it holds more than ${MAX_SWELLING} times its ${size} bytes; unpack it yourself if it is no bomb`,
      );
    yield bytes;
  }
}

async function* explained(file: string, { kind, unpacked }: Packing): AsyncGenerator<Buffer> {
  try {
    yield* unpacked(file);
  } catch (error) {
    if (!/^(?:Z_|ZSTD_|ERR_)/.test(systemErrorCode(error) ?? '')) throw error;
    throw new UserError(
      `${path.basename(file)}: broken ${kind} file (${(error as Error).message}); get it again`,
      { cause: error },
    );
  }
}

/** Node's own decompressor ends after the first frame without a word; `pzstd` and `cat` make files of many. */
async function* zstdFrames(file: string): AsyncGenerator<Buffer> {
  const { size } = await stat(file);
  for (let start = 0; start < size; ) {
    const frame = createZstdDecompress();
    yield* through<Buffer>(createReadStream(file, { start }), frame);
    if (frame.bytesWritten === 0) return;
    start += frame.bytesWritten;
  }
}
