import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ChatImageMessage, ChatMessage, ChatToolCall } from '../schemas/chat.ts';
import type { SamplingConfig } from '../schemas/config/sampling.ts';
import type { cachedModelAnswerSchema } from '../schemas/run/cachedAnswer.ts';
import type { CallScope } from './calls.ts';

/** Sampling settings of a call; absent ones are left to the endpoint. */
export type Sampling = { readonly [Key in keyof SamplingConfig]: Exclude<SamplingConfig[Key], undefined> };

/** Sampling of a task's rollout: if a seed is sent, each rollout has its own. */
export function samplingOfRollout(
  sampling: Sampling,
  { rollout = 0 }: { readonly rollout?: number },
): Sampling {
  return sampling.seed === undefined ? sampling : { ...sampling, seed: sampling.seed + rollout };
}

/** A tool offered to a model. `parameters` is a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface ChatRequest {
  readonly messages: readonly (ChatMessage | ChatImageMessage)[];
  /** Requests JSON of this schema, in the strictest form that the endpoint supports. */
  readonly response_schema?: { readonly name: string; readonly schema: JsonObject };
  /** Offers tools and requires exactly one call of one of them. */
  readonly tools?: readonly ToolDefinition[];
  readonly sampling: Sampling;
  /**
   * Prefix shared with later requests: all messages before this one, and this many characters of its content. Does
   * not affect the answer; used to mark caches. Absent: unknown.
   */
  readonly stable?: { readonly message: number; readonly chars: number };
}

/** A request without images. */
export interface TextRequest extends ChatRequest {
  readonly messages: readonly ChatMessage[];
}

export interface ChatAnswer extends Readonly<Omit<z.infer<typeof cachedModelAnswerSchema>, 'tool_calls'>> {
  readonly tool_calls: readonly ChatToolCall[];
  readonly cost_usd: number;
}

/** Native function calling, or a structured answer that names the tool. */
export type ToolCallStyle = 'native' | 'structured';

/**
 * A model behind an endpoint, with retries and limits. `chat` throws `RecordFailure` with an `endpoint_*`,
 * `answer_truncated`, `model_refused` or `context_exceeded` cause if no usable answer came.
 */
export interface ChatModel {
  /** Model name at the endpoint. */
  readonly model: string;
  /** Style that the endpoint has proved to support; read before each tool call. */
  readonly toolCallStyle: ToolCallStyle;
  /** Records that the endpoint answered an offer of tools with plain text. */
  preferStructuredToolCalls(): void;
  /** Learns endpoint capabilities from a cached answer. */
  learnFrom(answer: ChatAnswer): void;
  /** `scope` names the caller; without it the call belongs to no task. */
  chat(request: ChatRequest, signal: AbortSignal, scope?: CallScope): Promise<ChatAnswer>;
}

/** Same model with another `chat`; endpoint state stays shared. */
export function withChat(model: ChatModel, chat: ChatModel['chat']): ChatModel {
  return {
    model: model.model,
    get toolCallStyle() {
      return model.toolCallStyle;
    },
    preferStructuredToolCalls: () => model.preferStructuredToolCalls(),
    learnFrom: (answer) => model.learnFrom(answer),
    chat,
  };
}
