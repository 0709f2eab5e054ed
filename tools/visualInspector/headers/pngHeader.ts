import type { ImageHeader } from './imageHeader.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type and checksum around the data of a chunk. */
const CHUNK_OVERHEAD = 12;
/** Length and data of the header chunk. */
const IHDR_BYTES = 13;

/** Reads a PNG (W3C PNG, third edition): the header chunk comes first, an animation's `acTL` before the pixels. */
export function pngHeader(bytes: Buffer): ImageHeader | undefined {
  const isPng = bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE) && bytes.length >= 33;
  if (!isPng || bytes.readUInt32BE(8) !== IHDR_BYTES || typeAt(bytes, 8) !== 'IHDR') return undefined;
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  return { format: 'png', width, height, frames: framesOf(bytes) };
}

function framesOf(bytes: Buffer): number {
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const type = typeAt(bytes, at);
    if (type === 'IDAT') return 1;
    if (type === 'acTL') return Math.max(1, bytes.readUInt32BE(at + 8));
    at += CHUNK_OVERHEAD + bytes.readUInt32BE(at);
  }
  return 1;
}

function typeAt(bytes: Buffer, chunk: number): string {
  return bytes.toString('latin1', chunk + 4, chunk + 8);
}
