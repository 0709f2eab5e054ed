import type { JsonObject } from '../base/json.ts';
import type { ChatMessage } from '../schemas/chat.ts';

/**
 * Messages that ask again after an unusable answer.
 * @param how - What the next one is to be like.
 */
export function askAgain(
  messages: readonly ChatMessage[],
  { content, error }: { readonly content: string | null; readonly error: string },
  how: string,
): ChatMessage[] {
  return [
    ...messages,
    // Some servers reject an assistant's message without content.
    { role: 'assistant', content: content?.trim() ? content : '(empty answer)' },
    { role: 'user', content: `That answer could not be used: ${error}\nAnswer again, ${how}.` },
  ];
}

/**
 * Encodes data as a single JSON text for a model. Data cannot break out of a JSON string into the instructions; angle
 * brackets are escaped, so that no chat template ends the turn early.
 */
export function dataText(data: JsonObject): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
