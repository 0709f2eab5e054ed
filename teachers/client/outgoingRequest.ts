import type { JsonObject } from '../../base/json.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import { withoutImages } from '../../schemas/shownImages.ts';

/** A request's body with sizes computed once for all attempts: conversations are long. */
export interface OutgoingRequest {
  readonly body: JsonObject;
  readonly images: number;
  /** Characters of the JSON body without images, whose bytes do not determine their tokens. */
  readonly characters: number;
  /** Bytes of the same, raw or after a tokenizer's normalisation, which may lengthen it. */
  readonly bytes: number;
}

/** Does not store its JSON: for queued requests, keeping long texts costs more than serialising them again. */
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
