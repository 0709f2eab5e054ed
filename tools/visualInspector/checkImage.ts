import type { ImageFormat } from '../../schemas/config/tools/visualInspector.ts';
import { type ImageHeader, readImageHeader } from './readImageHeader.ts';

/** Which images may be shown. */
export interface ImageRules {
  readonly formats: readonly ImageFormat[];
  /** Whether they may have more than one picture. */
  readonly animations: boolean;
  /** Most pixels, all pictures together. */
  readonly maxPixels: number;
}

/** An image that may be shown to a model. */
export interface CheckedImage {
  readonly ok: true;
  readonly header: ImageHeader;
  readonly bytes: Buffer;
}

/**
 * Decides by their content whether bytes are an image that may be shown: of a kind that is taken, and not of so many
 * pixels that whoever decodes it runs out of memory.
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

/** The bytes of an image, or why the agent can't see it. */
export type FoundBytes =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Not to be had, for a reason that is the agent's to know. */
export function notFound(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Why a file of too many bytes is not shown. */
export function tooManyBytes(maxBytes: number): { readonly ok: false; readonly reason: string } {
  return notFound(`it is larger than ${maxBytes} bytes`);
}
