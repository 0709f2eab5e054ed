import type { ImageHeader } from './imageHeader.ts';

const FIRST_CHUNK = 12;
/** Name and length before the data of a chunk. */
const CHUNK_HEADER = 8;

/** Reads a WebP (RFC 9649): lossy, lossless or extended, the last with pictures of an animation. */
export function webpHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 30 || nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WEBP') return undefined;
  const size = sizeOf(bytes, FIRST_CHUNK + CHUNK_HEADER);
  return size && { format: 'webp', ...size };
}

function sizeOf(bytes: Buffer, data: number): Omit<ImageHeader, 'format'> | undefined {
  switch (nameAt(bytes, FIRST_CHUNK)) {
    case 'VP8 ': {
      // A frame tag of three bytes, a start code, then two lengths of 14 bits.
      if (bytes.readUIntBE(data + 3, 3) !== 0x9d012a) return undefined;
      const [width, height] = [bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff];
      return { width, height, frames: 1 };
    }
    case 'VP8L': {
      if (bytes[data] !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(data + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, frames: 1 };
    }
    case 'VP8X': {
      const [width, height] = [bytes.readUIntLE(data + 4, 3) + 1, bytes.readUIntLE(data + 7, 3) + 1];
      return { width, height, frames: Math.max(1, countFrames(bytes)) };
    }
    default:
      return undefined;
  }
}

function countFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = FIRST_CHUNK; at + CHUNK_HEADER <= bytes.length; ) {
    if (nameAt(bytes, at) === 'ANMF') frames += 1;
    const length = bytes.readUInt32LE(at + 4);
    at += CHUNK_HEADER + length + (length % 2);
  }
  return frames;
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4);
}
