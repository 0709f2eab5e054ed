import { z } from 'zod';
import { sum } from '../base/sum.ts';

/** A tool call as the model made it; `arguments` is its JSON text, valid or not. */
export const chatToolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ChatToolCall = z.infer<typeof chatToolCallSchema>;

/** A message of a chat completion request in OpenAI's format. */
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

/** A part of a user's message in OpenAI's format. An image's address may be a data URL with its bytes. */
export const chatContentPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
]);

/**
 * A message with images. Traces contain only text; hashes and caches identify an image by its SHA-256, see
 * `digestedImages`.
 */
export const chatImageMessageSchema = z.object({
  role: z.literal('user'),
  content: z.array(chatContentPartSchema).min(1),
});
export type ChatImageMessage = z.infer<typeof chatImageMessageSchema>;

/** Tokens of one call by the endpoint's count, or by ours if that is implausible; zeros if not reported. */
export const usageSchema = z.object({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cached_tokens: z.int().nonnegative(),
});
export type Usage = z.infer<typeof usageSchema>;

/** Usage of a call that was not made. */
export const nothingUsed: Usage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };

/** Total usage of several calls. */
export function usageOfAll(usages: readonly Usage[]): Usage {
  const total = (figure: keyof Usage) => sum(usages.map((usage) => usage[figure]));
  return {
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    cached_tokens: total('cached_tokens'),
  };
}

/** Upper bound of tokens per call. Sums over a million calls stay exact integers. */
const MOST_CALL_TOKENS = 2 ** 32;
/** Upper bound of the cost per call in US dollars. */
const MOST_CALL_COST_USD = 1e6;

/** A reported count: 0, meaning unknown, if it is missing, invalid or implausible. */
export const reportedTokensSchema = z.int().nonnegative().max(MOST_CALL_TOKENS).catch(0);

/** A cost in US dollars, as with {@link reportedTokensSchema}. */
export const reportedCostSchema = z.number().nonnegative().max(MOST_CALL_COST_USD).catch(0);

/** {@link usageSchema} from external sources: an endpoint, a cache, a file. */
export const reportedUsageSchema = z.object({
  prompt_tokens: reportedTokensSchema,
  completion_tokens: reportedTokensSchema,
  cached_tokens: reportedTokensSchema,
});
