import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

/** Text, or parts; parts other than text are left out on import. */
const contentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
]);
export type OpenaiContent = z.infer<typeof contentSchema>;

const toolCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const idsSchema = z.union([z.string(), z.array(z.string()).min(1)]);

const messageSchema = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: contentSchema }),
  z.looseObject({ role: z.literal('developer'), content: contentSchema }),
  z.looseObject({ role: z.literal('user'), content: contentSchema }),
  z.looseObject({
    role: z.literal('assistant'),
    content: contentSchema.nullish(),
    /** DeepSeek's and vLLM's name for what a thinking model thought. */
    reasoning_content: z.string().nullish(),
    /** OpenRouter's name for the same. */
    reasoning: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCallSchema).nullish(),
  }),
  z.looseObject({
    role: z.literal('tool'),
    content: contentSchema,
    /** One id, or a list of which each takes one part of the content; absent: the first call that has no result. */
    tool_call_id: idsSchema.nullish(),
    /** SWE-agent's name for the same. */
    tool_call_ids: idsSchema.nullish(),
  }),
]);
/** A chat message as fine-tuning files and gateways log it. */
export type OpenaiMessage = z.infer<typeof messageSchema>;

const messagesSchema = z.array(messageSchema).min(1);

/** One conversation: a line of a fine-tuning file. Gateways add keys of their own on every level; they are kept. */
export const openaiConversationSchema = z.looseObject({
  messages: messagesSchema,
  tools: z.array(jsonObjectSchema).nullish(),
});
export type OpenaiConversation = z.infer<typeof openaiConversationSchema>;

/** A file of SWE-agent: the same messages as `history`. */
export const openaiHistorySchema = z.looseObject({ history: messagesSchema });
