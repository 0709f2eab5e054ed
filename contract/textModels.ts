import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ChatMessage } from '../schemas/chat.ts';
import type { cachedCompletionSchema } from '../schemas/run/cachedAnswer.ts';
import type { CallScope } from './calls.ts';
import type { Sampling } from './chatModel.ts';

/** What a model goes on from: a text or its ids as they stand, or turns of which it continues the last. */
export type CompletionPrompt =
  | { readonly prompt: string | readonly number[] }
  | { readonly messages: readonly ChatMessage[] };

/** One request to go on with a text. */
export interface CompletionRequest {
  readonly from: CompletionPrompt;
  /** Texts at which the server ends the answer. */
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  /** Members of the body that this server knows and others may not. */
  readonly fields: JsonObject;
}

/** What a model went on with. */
export interface CompletionAnswer extends Readonly<z.infer<typeof cachedCompletionSchema>> {
  readonly cost_usd: number;
}

/**
 * A model that goes on with a text, behind an endpoint with its retries and limits. Throws `RecordFailure` with an
 * `endpoint_*`, `model_refused` or `context_exceeded` cause when no answer came; one that stopped at the length limit
 * is an answer.
 */
export interface CompletionModel {
  /** The model's name as the endpoint knows it. */
  readonly model: string;
  /** `scope` says whose call it is; without it, it belongs to no task. */
  complete(request: CompletionRequest, signal: AbortSignal, scope?: CallScope): Promise<CompletionAnswer>;
}

/**
 * A model that gives texts as vectors, with its retries and limits. Texts of like meaning have vectors of a small
 * angle.
 */
export interface EmbeddingModel {
  /**
   * One vector a text, in their order, all of one length of at least 1, finite and none of them zero.
   *
   * @throws RecordFailure with an `endpoint_*` or `context_exceeded` cause when they can't be had
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
