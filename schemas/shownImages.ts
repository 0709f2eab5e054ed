import { sha256Hex } from '../base/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ChatImageMessage, ChatMessage } from './chat.ts';

/** Fewest pixels that make a token: models cut images into patches of 14 x 14 and up, and many merge four of them. */
const LEAST_PIXELS_A_TOKEN = 14 * 14;
/**
 * The most tokens that an image of at most {@link MOST_CAPPED_PIXELS} counts: by the patches, and dearer than any bill
 * that is known. The dearest are gpt-4o-mini's 48,169 (2,833 and 5,667 for each of eight tiles, as OpenAI's guide has it).
 */
export const MOST_IMAGE_TOKENS = 65_536;
/** Pixels of the largest image that {@link MOST_IMAGE_TOKENS} holds for. */
export const MOST_CAPPED_PIXELS = MOST_IMAGE_TOKENS * LEAST_PIXELS_A_TOKEN;
/** What an image counts for most models. */
export const USUAL_IMAGE_TOKENS = 1_600;

/** A request's texts, and how many images it shows beside them. */
export interface ShownImages {
  /** The body with its images taken out. */
  readonly texts: JsonObject;
  readonly images: number;
}

/** Takes the images out of a body: their bytes are not what they count. */
export function withoutImages(body: JsonObject): ShownImages {
  if (!Array.isArray(body.messages)) return { texts: body, images: 0 };
  let images = 0;
  const withoutImage = (part: JsonValue): JsonValue => {
    if (!isJsonObject(part) || part.type !== 'image_url') return part;
    images += 1;
    return { type: 'image_url' };
  };
  const messages = body.messages.map((message: JsonValue) =>
    isJsonObject(message) && Array.isArray(message.content)
      ? { ...message, content: message.content.map(withoutImage) }
      : message,
  );
  return { texts: { ...body, messages }, images };
}

/**
 * Messages as they are hashed and kept: in place of an image's data URL stands its SHA-256. Messages of text stay as
 * they are.
 */
export function digestedImages(
  messages: readonly (ChatMessage | ChatImageMessage)[],
): readonly (ChatMessage | ChatImageMessage)[] {
  return messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((part) =>
      part.type === 'image_url'
        ? { ...part, image_url: { ...part.image_url, url: digested(part.image_url.url) } }
        : part,
    );
    return { ...message, content };
  });
}

function digested(url: string): string {
  return url.startsWith('data:') ? `sha256:${sha256Hex(url)}` : url;
}
