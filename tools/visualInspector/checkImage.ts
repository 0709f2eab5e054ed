import type { ImageFormat } from '../../schemas/config/tools/visualInspector.ts';
import { type ImageHeader, readImageHeader } from './readImageHeader.ts';

/** Rules for images. */
export interface ImageRules {
  readonly formats: readonly ImageFormat[];
  /** True if animations are allowed. */
  readonly animations: boolean;
  /** Maximum pixels of all frames together. */
  readonly maxPixels: number;
}

/** An image accepted for a model. */
export interface CheckedImage {
  readonly ok: true;
  readonly header: ImageHeader;
  readonly bytes: Buffer;
}

/**
 * Decides by content whether bytes are an acceptable image: of a supported kind, and small enough in pixels that
 * decoding it does not exhaust memory.
 */
export function checkImage(
  bytes: Buffer,
  rules: ImageRules,
): CheckedImage | Extract<FoundBytes, { readonly ok: false }> {
  if (bytes.length === 0) return notFound('it is empty');
  const header = readImageHeader(bytes);
  if (!header) {
    const isSvg = /<svg[\s>]/i.test(bytes.toString('latin1', 0, 4096));
    return notFound(`${isSvg ? 'it is an SVG drawing' : 'it is not an image'}; ${taken(rules)}`);
  }
  const problem = headerProblem(header, rules);
  return problem === undefined ? { ok: true, header, bytes } : notFound(problem);
}

function headerProblem(
  { format, width, height, frames }: ImageHeader,
  rules: ImageRules,
): string | undefined {
  const { formats, animations, maxPixels } = rules;
  if (!formats.includes(format)) return `it is a ${format} image; ${taken(rules)}`;
  if (frames > 1 && !animations)
    return `it is an animation of ${frames} pictures; only still images are taken`;
  if (width * height * frames <= maxPixels) return undefined;
  const pictures = frames === 1 ? '' : ` in each of ${frames} pictures`;
  return `it has ${width} x ${height} pixels${pictures}, more than ${maxPixels} together`;
}

function taken({ formats }: ImageRules): string {
  const names = formats.map((format) => (format === 'jpeg' ? 'jpeg (jpg)' : format));
  return `these are taken: ${names.join(', ')}`;
}

/** Bytes of an image, or the reason for none. */
export type FoundBytes =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Unavailable, with a reason for the agent. */
export function notFound(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Refusal of a file that is too large. */
export function tooManyBytes(maxBytes: number): { readonly ok: false; readonly reason: string } {
  return notFound(`it is larger than ${maxBytes} bytes`);
}
