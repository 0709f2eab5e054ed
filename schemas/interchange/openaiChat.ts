import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

/** Text, or parts by type: text, thoughts, calls and results as Anthropic writes them, and others. */
export const chatContentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
export type ChatContent = z.infer<typeof chatContentSchema>;

/** `arguments` is the text of a JSON object, or the object itself, as chat templates of Hugging Face take it. */
const calledSchema = z.looseObject({
  name: z.string(),
  arguments: z.union([z.string(), jsonObjectSchema]).nullish(),
});
export type CalledFunction = z.infer<typeof calledSchema>;

const idsSchema = z.union([z.string(), z.array(z.string()).min(1)]);

/** What the speaker of a message is, by the names that data sets have for it. */
export const chatRoles = {
  system: 'instruction',
  developer: 'instruction',
  user: 'user',
  human: 'user',
  assistant: 'agent',
  gpt: 'agent',
  model: 'agent',
  ai: 'agent',
  /** A message that is nothing but a call: of LLaMA-Factory and ms-swift. */
  function_call: 'call',
  tool_call: 'call',
  tool: 'tool',
  function: 'tool',
  function_response: 'tool',
  observation: 'tool',
  tool_response: 'tool',
  /** The end of a run of mini-swe-agent: its content is what was submitted. */
  exit: 'end',
} as const;
type ChatRole = keyof typeof chatRoles;
/** Who speaks in a message. */
export type ChatSpeaker = (typeof chatRoles)[ChatRole];

export function isChatRole(name: string): name is ChatRole {
  return Object.hasOwn(chatRoles, name);
}

/** What a thinking model thought, as DeepSeek and vLLM, OpenRouter, and Ollama and mini-swe-agent name it, and in pieces. */
export const thoughtFields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'] as const;

/** Fields of a message that say what happened; others are kept as they are. */
export const readFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  ...thoughtFields,
]);

/** What parts of a content hold, by their type in OpenAI's chats and responses, Anthropic's messages, LLaMA-Factory's rows. */
export const partKinds = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  thinking: 'think',
  reasoning: 'think',
  redacted_thinking: 'encrypted',
  refusal: 'refusal',
  tool_use: 'call',
  /** JSON text of a call, or of several. */
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
  /** Of OpenRouter; an encrypted piece has neither text nor summary. */
  reasoning_details: z
    .array(z.looseObject({ text: z.string().nullish(), summary: z.string().nullish() }))
    .nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string().nullish(), function: calledSchema })).nullish(),
  /** OpenAI's field before `tool_calls`. */
  function_call: calledSchema.nullish(),
  /** Of a result: which function gave it. */
  name: z.string().nullish(),
  /** One id, or a list of which each takes one part of the content; absent: the first call that has no result. */
  tool_call_id: idsSchema.nullish(),
  /** SWE-agent's name for the same. */
  tool_call_ids: idsSchema.nullish(),
});
/** A chat message as fine-tuning files and gateways log it; keys that are not named here are kept. */
export type OpenaiMessage = z.infer<typeof messageSchema>;

/** One conversation: a line of a fine-tuning file. Gateways add keys of their own on every level; they are kept. */
export const openaiConversationSchema = z.looseObject({ messages: z.array(messageSchema).min(1) });
export type OpenaiConversation = z.infer<typeof openaiConversationSchema>;
