import type { ImageHeader } from './imageHeader.ts';

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Separator, place, size and flags of a picture. */
const DESCRIPTOR_BYTES = 10;

/** Reads a GIF (GIF89a specification): the size that holds every picture, and how many there are. */
export function gifHeader(bytes: Buffer): ImageHeader | undefined {
  const version = bytes.toString('latin1', 0, 6);
  if (bytes.length < HEADER_BYTES || (version !== 'GIF87a' && version !== 'GIF89a')) return undefined;
  let [width, height, frames] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8), 0];
  for (let at = HEADER_BYTES + colours(bytes[10]!); at < bytes.length && bytes[at] !== TRAILER; ) {
    if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2);
    else if (bytes[at] === IMAGE && at + DESCRIPTOR_BYTES < bytes.length) {
      frames += 1;
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + DESCRIPTOR_BYTES + colours(bytes[at + 9]!) + 1);
    } else at += 1; // Readers skip what stands for nothing.
  }
  return frames === 0 ? undefined : { format: 'gif', width, height, frames };
}

/** Bytes of the table of colours that flags announce. */
function colours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

/** The place after a chain of blocks, each with its length before it; an empty one ends it. */
function afterBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1;
  return at + 1;
}
