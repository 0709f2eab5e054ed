import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ChatImageMessage, ChatMessage, ChatToolCall } from '../schemas/chat.ts';
import type { SamplingConfig } from '../schemas/config/sampling.ts';
import type { cachedModelAnswerSchema } from '../schemas/run/cachedAnswer.ts';
import type { CallScope } from './calls.ts';

/** Sampling settings of a call; what is absent is left to the endpoint. */
export type Sampling = { readonly [Key in keyof SamplingConfig]: Exclude<SamplingConfig[Key], undefined> };

/** The sampling of a task's rollout: where a seed is sent, each rollout has its own. */
export function samplingOfRollout(
  sampling: Sampling,
  { rollout = 0 }: { readonly rollout?: number },
): Sampling {
  return sampling.seed === undefined ? sampling : { ...sampling, seed: sampling.seed + rollout };
}

/** A tool as offered to a model. `parameters` is a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface ChatRequest {
  readonly messages: readonly (ChatMessage | ChatImageMessage)[];
  /** Asks for an answer that is JSON of this schema, in the strictest form that the endpoint takes. */
  readonly response_schema?: { readonly name: string; readonly schema: JsonObject };
  /** Offers tools and asks for exactly one call of one of them. */
  readonly tools?: readonly ToolDefinition[];
  readonly sampling: Sampling;
  /**
   * What later requests begin with too: all before the message at this place, and so many characters of its content.
   * Shapes no answer; for endpoints whose cache is marked. Absent: nothing is known of it.
   */
  readonly stable?: { readonly message: number; readonly chars: number };
}

/** A request that shows no images. */
export interface TextRequest extends ChatRequest {
  readonly messages: readonly ChatMessage[];
}

/** A model's answer to one request. */
export interface ChatAnswer extends Readonly<Omit<z.infer<typeof cachedModelAnswerSchema>, 'tool_calls'>> {
  readonly tool_calls: readonly ChatToolCall[];
  readonly cost_usd: number;
}

/** Whether tool calls go through native function calling or through a structured answer that names the tool. */
export type ToolCallStyle = 'native' | 'structured';

/**
 * A model behind an endpoint, with its retries and limits. `chat` throws `RecordFailure` with an `endpoint_*`,
 * `answer_truncated`, `model_refused` or `context_exceeded` cause when no usable answer came.
 */
export interface ChatModel {
  /** The model's name as the endpoint knows it. */
  readonly model: string;
  /** The style that the endpoint has shown itself to take; asked before each tool call. */
  readonly toolCallStyle: ToolCallStyle;
  /** Remembers that the endpoint answered an offer of tools with plain text. */
  preferStructuredToolCalls(): void;
  /** Remembers of the endpoint what an answer shows that was kept from earlier. */
  learnFrom(answer: ChatAnswer): void;
  /** `scope` says whose call it is; without it, it belongs to no task. */
  chat(request: ChatRequest, signal: AbortSignal, scope?: CallScope): Promise<ChatAnswer>;
}

/** The same model, asked in another way: what is known of its endpoint stays in one place. */
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
