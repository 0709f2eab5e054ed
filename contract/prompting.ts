import type { JsonObject } from '../base/json.ts';
import type { ChatMessage } from '../schemas/chat.ts';

/**
 * The messages with which an answer that could not be used is asked for again.
 *
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
 * Data as the one JSON text that a model is shown. A JSON string can't be left from within, so nothing in the data
 * stands where instructions stand; angle brackets are escaped, so that no chat template takes a part of it for the end
 * of the turn.
 */
export function dataText(data: JsonObject): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
