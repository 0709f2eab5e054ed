import type { JsonObject } from '../base/json.ts';
import { type ChatMessage, type Usage, usageSchema } from '../schemas/chat.ts';
import { RecordFailure } from './errors.ts';

/** A model's answer that came, and is of no use: refused, withheld by a filter, or cut at the length limit. */
export interface WithheldAnswer {
  readonly failure: RecordFailure;
  /** What there is of it; may be empty. */
  readonly content: string;
  /** What was wrong, in words for the model that is asked again; undefined where it refused, which it would again. */
  readonly askAgain: string | undefined;
  /** What it was billed for; undefined where the endpoint did not say. */
  readonly usage: Usage | undefined;
  /** US dollars. */
  readonly costUsd: number;
}

/** The withheld answer that an error tells of; undefined for any other error. */
export function withheldAnswerOf(error: unknown): WithheldAnswer | undefined {
  if (!(error instanceof RecordFailure)) return undefined;
  const { cause, evidence } = error.failure;
  if (cause !== 'model_refused' && cause !== 'answer_truncated') return undefined;
  const { content_start, cost_usd, usage } = evidence;
  return {
    failure: error,
    content: typeof content_start === 'string' ? content_start : '',
    askAgain: askAgainOf(evidence),
    usage: usageSchema.safeParse(usage).data,
    costUsd: typeof cost_usd === 'number' ? cost_usd : 0,
  };
}

function askAgainOf({ finish_reason, refusal }: JsonObject): string | undefined {
  if (refusal !== undefined) return undefined;
  return finish_reason === 'length'
    ? 'it was cut at the length limit: give a much shorter one'
    : "it was withheld by the endpoint's filter";
}

/**
 * The messages with which an answer that could not be used is asked for again.
 *
 * @param how - What the next one is to be like.
 */
export function askAgain(
  messages: readonly ChatMessage[],
  { content, error }: { readonly content: string | null; readonly error: string },
  how: string,
): ChatMessage[] {
  return [
    ...messages,
    // Some servers reject an assistant's message without content.
    { role: 'assistant', content: content?.trim() ? content : '(empty answer)' },
    { role: 'user', content: `That answer could not be used: ${error}\nAnswer again, ${how}.` },
  ];
}

/**
 * Data as the one JSON text that a model is shown. A JSON string can't be left from within, so nothing in the data
 * stands where instructions stand; angle brackets are escaped, so that no chat template takes a part of it for the end
 * of the turn.
 */
export function dataText(data: JsonObject): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
