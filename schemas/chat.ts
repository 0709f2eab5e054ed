import { z } from 'zod';
import { sum } from '../base/sum.ts';

/** A tool call as the model made it; `arguments` is the JSON text it wrote, valid or not. */
export const chatToolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ChatToolCall = z.infer<typeof chatToolCallSchema>;

/** A message of a chat completion request, in OpenAI's wire form. */
export const chatMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(chatToolCallSchema).optional(),
  }),
  z.object({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string() }),
]);
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** A part of a user's message, in OpenAI's wire form. An image's address may be a data URL that holds its bytes. */
export const chatContentPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
]);

/**
 * A message that shows a model images. Traces hold texts alone; hashes and caches know an image by its SHA-256, see
 * `digestedImages`.
 */
export const chatImageMessageSchema = z.object({
  role: z.literal('user'),
  content: z.array(chatContentPartSchema).min(1),
});
export type ChatImageMessage = z.infer<typeof chatImageMessageSchema>;

/** Tokens that one call used, as the endpoint counted them, or we where that can't be; zeros where it did not say. */
export const usageSchema = z.object({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cached_tokens: z.int().nonnegative(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What a call used that did not take place. */
export const nothingUsed: Usage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };

/** What several calls used together. */
export function usageOfAll(usages: readonly Usage[]): Usage {
  const total = (figure: keyof Usage) => sum(usages.map((usage) => usage[figure]));
  return {
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    cached_tokens: total('cached_tokens'),
  };
}

/** More than any one call can use. Sums over a million calls stay exact integers. */
const MOST_CALL_TOKENS = 2 ** 32;
/** More than any one call can cost, in US dollars. */
const MOST_CALL_COST_USD = 1e6;

/** A count as somebody else reports it: 0, which says nothing, where it is absent, no count, or more than can be. */
export const reportedTokensSchema = z.int().nonnegative().max(MOST_CALL_TOKENS).catch(0);

/** A cost in US dollars, as with {@link reportedTokensSchema}. */
export const reportedCostSchema = z.number().nonnegative().max(MOST_CALL_COST_USD).catch(0);

/** {@link usageSchema} as it comes from elsewhere: an endpoint, a cache, a file. */
export const reportedUsageSchema = z.object({
  prompt_tokens: reportedTokensSchema,
  completion_tokens: reportedTokensSchema,
  cached_tokens: reportedTokensSchema,
});
