import { once } from 'node:events';
import { Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** What pages may be sent in. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** A body that can't be unpacked; the message says why. */
export class UnreadableCoding extends Error {
  override readonly name = 'UnreadableCoding';
}

/** More than one is rare, more than a few are an attack. */
const MAX_CODINGS = 3;
/** 8 MB, the largest window that a content coding may ask for (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;

const plain = new Set(['', 'identity']);

/** The codings of a `content-encoding` header, in the order in which they were applied. */
export function parseContentCodings(header: string): string[] {
  const codings = header
    .split(',', MAX_CODINGS + 1)
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !plain.has(coding));
  if (codings.length > MAX_CODINGS) throw new UnreadableCoding('its content is encoded too many times');
  return codings;
}

/** Unpacks one coding piece by piece, no faster than it is read. Throws {@link UnreadableCoding}. */
export async function* decode(
  coding: string,
  packed: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const [source, first] = await peeked(packed);
  const decoder = decoderOf(coding, first);
  const input = Readable.from(source);
  input.on('error', (error) => decoder.destroy(error));
  input.pipe(decoder);
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (isZlibError(error)) throw new UnreadableCoding(`its content is not ${coding}, as it says it is`);
    throw error;
  } finally {
    if (!input.destroyed) {
      input.destroy();
      await once(input, 'close');
    }
    decoder.destroy();
  }
}

function decoderOf(coding: string, first: number | undefined): Transform {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      // With zlib's header as the standard has it, or without one as some servers send it.
      return first === undefined || (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } });
    default:
      throw new UnreadableCoding(`its content-encoding is ${JSON.stringify(coding.slice(0, 40))}`);
  }
}

/** The same pieces, and the first byte of them. */
async function peeked(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<[AsyncGenerator<Uint8Array>, number | undefined]> {
  const { value } = await pieces.next();
  const first: Uint8Array | undefined = value;
  async function* all() {
    if (first) yield first;
    yield* pieces;
  }
  return [all(), first?.[0]];
}

function isZlibError(error: unknown): boolean {
  const code = String((error as NodeJS.ErrnoException).code);
  return /^(?:Z_|ERR_BROTLI|ERR__ERROR|ZSTD_|ERR_ZLIB)/.test(code);
}
