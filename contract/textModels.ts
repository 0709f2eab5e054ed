import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ChatMessage } from '../schemas/chat.ts';
import type { cachedCompletionSchema } from '../schemas/run/cachedAnswer.ts';
import type { CallScope } from './calls.ts';
import type { Sampling } from './chatModel.ts';

/** Prompt to continue: text, its ids, or turns of which the last is continued. */
export type CompletionPrompt =
  | { readonly prompt: string | readonly number[] }
  | { readonly messages: readonly ChatMessage[] };

/** A request to continue a text. */
export interface CompletionRequest {
  readonly from: CompletionPrompt;
  /** Texts that end the generation. */
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  /** Body members specific to this server. */
  readonly fields: JsonObject;
}

/** A model's continuation. */
export interface CompletionAnswer extends Readonly<z.infer<typeof cachedCompletionSchema>> {
  readonly cost_usd: number;
}

/**
 * A completion model behind an endpoint with retries and limits. Throws `RecordFailure` with an `endpoint_*`,
 * `model_refused` or `context_exceeded` cause without an answer; an answer cut at the length limit is returned.
 */
export interface CompletionModel {
  readonly model: string;
  /** `scope` names the caller; without it the call belongs to no task. */
  complete(request: CompletionRequest, signal: AbortSignal, scope?: CallScope): Promise<CompletionAnswer>;
}

/** An embedding model with retries and limits. Similar texts have vectors at a small angle. */
export interface EmbeddingModel {
  /**
   * One vector per text, in order, all of the same length of at least 1, finite and non-zero.
   * @throws RecordFailure with an `endpoint_*` or `context_exceeded` cause when they can't be had
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
