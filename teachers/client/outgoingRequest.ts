import type { JsonObject } from '../../base/json.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import { withoutImages } from '../../schemas/shownImages.ts';

/** A request's body, and what is counted of it once for all attempts: conversations are long. */
export interface OutgoingRequest {
  readonly body: JsonObject;
  readonly images: number;
  /** Characters of the body as JSON without its images, whose bytes are not what they count. */
  readonly characters: number;
  /** Bytes of the same, as it is or as a tokenizer may normalise it, which can lengthen it. */
  readonly bytes: number;
}

/** Its JSON is not kept: while requests wait for their turn, texts that live long cost more than to write them again. */
export function outgoingRequest(body: JsonObject): OutgoingRequest {
  const { texts, images } = withoutImages(body);
  const json = JSON.stringify(texts);
  return { body, images, characters: json.length, bytes: longestBytes(json) };
}

function longestBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  // ASCII is its own normal form.
  if (bytes === text.length) return bytes;
  return Math.max(bytes, Buffer.byteLength(normalForm(text, 'NFKC')));
}
