import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

/** Text, or parts by type: text, thoughts, calls and results in Anthropic's format, and others. */
export const chatContentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
export type ChatContent = z.infer<typeof chatContentSchema>;

/** `arguments` is the text of a JSON object, or the object itself, as in chat templates of Hugging Face. */
const calledSchema = z.looseObject({
  name: z.string(),
  arguments: z.union([z.string(), jsonObjectSchema]).nullish(),
});
export type CalledFunction = z.infer<typeof calledSchema>;

const idsSchema = z.union([z.string(), z.array(z.string()).min(1)]);

/** Speakers by the role names of data sets. */
export const chatRoles = {
  system: 'instruction',
  developer: 'instruction',
  user: 'user',
  human: 'user',
  assistant: 'agent',
  gpt: 'agent',
  model: 'agent',
  ai: 'agent',
  /** A message that is only a call, in LLaMA-Factory and ms-swift. */
  function_call: 'call',
  tool_call: 'call',
  tool: 'tool',
  function: 'tool',
  function_response: 'tool',
  observation: 'tool',
  tool_response: 'tool',
  /** End of a mini-swe-agent run, with the submission as content. */
  exit: 'end',
} as const;
type ChatRole = keyof typeof chatRoles;
/** Speaker of a message. */
export type ChatSpeaker = (typeof chatRoles)[ChatRole];

export function isChatRole(name: string): name is ChatRole {
  return Object.hasOwn(chatRoles, name);
}

/**
 * Thoughts of a reasoning model, as named by DeepSeek and vLLM, OpenRouter, and Ollama and mini-swe-agent, and in
 * pieces.
 */
export const thoughtFields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'] as const;

/** Fields of a message that are read; others are kept unchanged. */
export const readFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  ...thoughtFields,
]);

/** Content of parts by type in OpenAI's chats and responses, Anthropic's messages, LLaMA-Factory's rows. */
export const partKinds = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  thinking: 'think',
  reasoning: 'think',
  redacted_thinking: 'encrypted',
  refusal: 'refusal',
  tool_use: 'call',
  /** JSON text of one or more calls. */
  tool_call: 'calls',
  tool_result: 'result',
} as const;

const messageSchema = z.looseObject({
  role: z.enum(Object.keys(chatRoles) as [ChatRole, ...ChatRole[]]),
  content: chatContentSchema.nullish(),
  /** {@link thoughtFields} */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  thinking: z.string().nullish(),
  /** OpenRouter's field; an encrypted piece has neither text nor summary. */
  reasoning_details: z
    .array(z.looseObject({ text: z.string().nullish(), summary: z.string().nullish() }))
    .nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string().nullish(), function: calledSchema })).nullish(),
  /** OpenAI's field before `tool_calls`. */
  function_call: calledSchema.nullish(),
  /** Function that gave a result. */
  name: z.string().nullish(),
  /** One id, or a list with one part of the content each; absent: the first pending call. */
  tool_call_id: idsSchema.nullish(),
  /** SWE-agent's name for the same field. */
  tool_call_ids: idsSchema.nullish(),
});
/** A chat message as logged by fine-tuning files and gateways; unknown keys are kept. */
export type OpenaiMessage = z.infer<typeof messageSchema>;

/** One conversation: a line of a fine-tuning file. Gateways add keys of their own on every level; they are kept. */
export const openaiConversationSchema = z.looseObject({ messages: z.array(messageSchema).min(1) });
export type OpenaiConversation = z.infer<typeof openaiConversationSchema>;
