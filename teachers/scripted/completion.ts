import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../../base/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonObjectSchema } from '../../base/json.ts';
import { chatMessageSchema, type Usage } from '../../schemas/chat.ts';
import type { Reply } from './playStep.ts';

/** Characters per token, a rule of thumb for English. */
const CHARS_PER_TOKEN = 4;

/** An answer before serialisation as one body or a stream. */
export interface ScriptedCompletion {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly message: JsonObject;
  readonly finish_reason: 'stop' | 'tool_calls';
  readonly usage: Usage;
}

/** Completion of a reply. Its ids depend only on the request. */
export function completionOf(
  request: WireChatRequest,
  reply: Exclude<Reply, { kind: 'off_script' }>,
  createdS: number,
): ScriptedCompletion {
  const hash = sha256Hex(canonicalJson([request.messages, request.tools ?? null])).slice(0, 16);
  const message = messageOf(reply, requestedSchema(request), hash);
  return {
    id: `chatcmpl-${hash}`,
    model: request.model,
    created: createdS,
    message,
    finish_reason: reply.kind === 'tool_call' ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: tokensOf(request.messages),
      completion_tokens: tokensOf(message),
      cached_tokens: 0,
    },
  };
}

function messageOf(
  reply: Exclude<Reply, { kind: 'off_script' }>,
  schema: JsonObject | undefined,
  hash: string,
): JsonObject {
  switch (reply.kind) {
    case 'json':
      return { role: 'assistant', content: JSON.stringify(fitted(reply.answer, schema)), refusal: null };
    case 'text':
      return { role: 'assistant', content: reply.text, refusal: null };
    case 'refusal':
      return { role: 'assistant', content: null, refusal: reply.text };
    case 'tool_call': {
      const call = { name: reply.name, arguments: JSON.stringify(reply.input) };
      const tool_calls = [{ id: `call_${hash}`, type: 'function', function: call }];
      return { role: 'assistant', content: null, refusal: null, tool_calls };
    }
  }
}

/**
 * Drops members outside the schema, which a constrained model could not write; tools check their inputs themselves.
 */
function fitted(answer: JsonObject, schema: JsonValue | undefined): JsonObject {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return answer;
  const { properties } = schema;
  const members = Object.entries(answer).filter(([name]) => Object.hasOwn(properties, name));
  const cut = (name: string, value: JsonValue | undefined) =>
    name === 'next' && isJsonObject(value) ? fitted(value, branchFor(value, properties.next)) : value;
  return Object.fromEntries(members.map(([name, value]) => [name, cut(name, value)]));
}

/** Schema of an action in a union. */
function branchFor({ action }: JsonObject, schema: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(schema) || !Array.isArray(schema.anyOf)) return schema;
  const isOf = (branch: JsonValue) => JSON.stringify(branch).includes(`"enum":[${JSON.stringify(action)}]`);
  return schema.anyOf.find(isOf);
}

function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
}

function wireUsage({ prompt_tokens, completion_tokens, cached_tokens }: Usage): JsonObject {
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens },
  };
}

/** Body of a non-streamed answer. */
export function completionBody({ message, finish_reason, usage, ...head }: ScriptedCompletion): JsonObject {
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: wireUsage(usage),
  };
}

/** Characters of content per stream chunk. */
const CHUNK_CHARS = 24;

/** Chunks of a streamed answer, in order, without the closing `[DONE]`. */
export function completionChunks(completion: ScriptedCompletion, includeUsage: boolean): JsonObject[] {
  const { message, finish_reason, usage, ...head } = completion;
  const chunk = (choices: readonly JsonObject[], rest: JsonObject = {}): JsonObject => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
    ...rest,
  });
  const delta = (piece: JsonObject, reason: string | null = null) =>
    chunk([{ index: 0, delta: piece, finish_reason: reason, logprobs: null }]);
  return [
    delta({ role: 'assistant', content: message.content === null ? null : '' }),
    ...pieces(message).map((piece) => delta(piece)),
    delta({}, finish_reason),
    ...(includeUsage ? [chunk([], { usage: wireUsage(usage) })] : []),
  ];
}

function pieces({ content, refusal, tool_calls }: JsonObject): JsonObject[] {
  if (typeof content === 'string') return slices(content).map((text) => ({ content: text }));
  if (typeof refusal === 'string') return slices(refusal).map((text) => ({ refusal: text }));
  const [call] = tool_calls as unknown as [{ id: string; function: { name: string; arguments: string } }];
  const { name, arguments: input } = call.function;
  return [
    { tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name, arguments: '' } }] },
    ...slices(input).map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  ];
}

function slices(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / CHUNK_CHARS) }, (_, index) =>
    characters.slice(index * CHUNK_CHARS, (index + 1) * CHUNK_CHARS).join(''),
  );
}

/** Parsed part of a chat completion request. */
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
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
export type WireChatRequest = z.infer<typeof chatRequestSchema>;

/** Requested answer schema, if any. */
function requestedSchema({ response_format }: WireChatRequest): JsonObject | undefined {
  if (response_format?.type === 'json_schema') return response_format.json_schema.schema;
  return response_format?.type === 'json_object' ? response_format.schema : undefined;
}
