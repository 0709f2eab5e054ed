import type { ImageHeader } from './imageHeader.ts';

/** Start of scan: the pixels follow. */
const SOS = 0xda;
/** Markers in the range of frames that begin none: Huffman tables, a reserved one, arithmetic coding. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Reads a JPEG (ITU-T T.81, B.2): segments up to the one that begins the frame. */
export function jpegHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return frameAt(bytes, at);
    else if (marker === SOS) return undefined;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
}

function frameAt(bytes: Buffer, segment: number): ImageHeader {
  const height = bytes.readUInt16BE(segment + 5);
  const width = bytes.readUInt16BE(segment + 7);
  return { format: 'jpeg', width, height, frames: 1 };
}
