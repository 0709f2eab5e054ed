import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { ChatRequest } from '../../contract/chatModel.ts';

/**
 * The messages with marks where an endpoint is to keep what it has read, as Anthropic's models want them
 * (`cache_control` of a content part, also through OpenRouter and LiteLLM): behind the system prompt, and behind what
 * later requests begin with.
 */
export function markedMessages({ messages, stable }: ChatRequest): JsonValue[] {
  return messages.map((message, at) => {
    const { role, content } = message;
    if (typeof content !== 'string' || content === '') return message as unknown as JsonObject;
    const chars = at === stable?.message ? stable.chars : role === 'system' ? content.length : 0;
    return (chars === 0 ? message : { ...message, content: parts(content, chars) }) as unknown as JsonObject;
  });
}

function parts(text: string, chars: number): JsonObject[] {
  const rest = text.slice(chars);
  return [
    { type: 'text', text: text.slice(0, chars), cache_control: { type: 'ephemeral' } },
    ...(rest === '' ? [] : [{ type: 'text', text: rest }]),
  ];
}
