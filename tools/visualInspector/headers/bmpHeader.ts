import type { ImageHeader } from './imageHeader.ts';

/** Size of the header of OS/2, with lengths of 16 bits. */
const CORE_HEADER = 12;
/** Least size of the headers of Windows, with lengths of 32 bits. */
const INFO_HEADER = 40;
/** Largest of them, `BITMAPV5HEADER`. */
const LARGEST_HEADER = 124;

/** Reads a BMP (Microsoft, Bitmap Storage): lines from the top have a negative height. */
export function bmpHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM') return undefined;
  const size = bytes.readUInt32LE(14);
  if (size === CORE_HEADER) {
    return { format: 'bmp', width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20), frames: 1 };
  }
  if (size < INFO_HEADER || size > LARGEST_HEADER) return undefined;
  const height = Math.abs(bytes.readInt32LE(22));
  return { format: 'bmp', width: bytes.readInt32LE(18), height, frames: 1 };
}
