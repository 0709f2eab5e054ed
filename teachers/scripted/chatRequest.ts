import { z } from 'zod';
import { type JsonObject, jsonObjectSchema } from '../../base/json.ts';
import { chatMessageSchema } from '../../schemas/chat.ts';

/** What the scripted server reads of a chat completion request. */
export const chatRequestSchema = z.object({
  model: z.string(),
  messages: z.array(chatMessageSchema).min(1),
  tools: z.array(z.looseObject({})).optional(),
  response_format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object'), schema: jsonObjectSchema.optional() }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({ name: z.string(), schema: jsonObjectSchema.optional() }),
      }),
    ])
    .optional(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
/** A chat request, as far as the scripted server reads it. */
export type WireChatRequest = z.infer<typeof chatRequestSchema>;

/** The schema that an answer was asked to fit, if any. */
export function requestedSchema({ response_format }: WireChatRequest): JsonObject | undefined {
  if (response_format?.type === 'json_schema') return response_format.json_schema.schema;
  return response_format?.type === 'json_object' ? response_format.schema : undefined;
}
