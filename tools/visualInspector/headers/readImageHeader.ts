import { bmpHeader } from './bmpHeader.ts';
import { gifHeader } from './gifHeader.ts';
import type { ImageHeader } from './imageHeader.ts';
import { jpegHeader } from './jpegHeader.ts';
import { pngHeader } from './pngHeader.ts';
import { webpHeader } from './webpHeader.ts';

const readers = [pngHeader, jpegHeader, gifHeader, webpHeader, bmpHeader];

/**
 * What the bytes of a file say it is; undefined when it is no image of a kind that is shown, or one without pixels.
 * No pixel is decoded; work is linear in the bytes.
 */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  for (const read of readers) {
    const header = read(bytes);
    if (header) return header.width > 0 && header.height > 0 ? header : undefined;
  }
  return undefined;
}
