import { sha256Hex } from '../base/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ChatImageMessage, ChatMessage } from './chat.ts';

/** Minimum pixels per token: models use patches of 14 x 14 and up, and many merge four of them. */
const LEAST_PIXELS_A_TOKEN = 14 * 14;
/**
 * Maximum tokens of an image of at most {@link MOST_CAPPED_PIXELS}: by patches, and above any known bill. The most
 * expensive are gpt-4o-mini's 48,169 (2,833 and 5,667 for each of eight tiles, by OpenAI's guide).
 */
export const MOST_IMAGE_TOKENS = 65_536;
/** Maximum pixels for which {@link MOST_IMAGE_TOKENS} holds. */
export const MOST_CAPPED_PIXELS = MOST_IMAGE_TOKENS * LEAST_PIXELS_A_TOKEN;
/** Typical tokens of an image. */
export const USUAL_IMAGE_TOKENS = 1_600;

/** Texts of a request, and its images. */
export interface ShownImages {
  /** Body without images. */
  readonly texts: JsonObject;
  readonly images: number;
}

/** Removes images from a body: their bytes do not determine their tokens. */
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

/** Messages for hashing and storage: an image's data URL is replaced by its SHA-256. Text messages are unchanged. */
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
