import type { AttemptToSend } from '../../contract/calls.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';

/** What something costs, or may cost. */
export interface Amount {
  readonly costUsd: number;
  /** Prompt and answer. */
  readonly tokens: number;
}

/** Tokens that a chat template adds by itself: a preamble for tools, today's date, the turn that is opened. */
const TEMPLATE_TOKENS = 1_000;
/** Tokens that a chat template adds around each message. */
const MESSAGE_TOKENS = 16;

/**
 * The most that an attempt can cost. No tokenizer in use has a token of less than one byte, so the body's bytes bound
 * the prompt; the answer is bound by its `max_tokens`. Without that, or without a price, there is no bound.
 */
export function worstCase(attempt: AttemptToSend): Amount {
  if (attempt.feeUsd !== undefined) return { costUsd: attempt.feeUsd, tokens: 0 };
  const { price, bodyBytes, imageTokens = 0, messages, maxTokens } = attempt;
  const prompt = bodyBytes + imageTokens + messages * MESSAGE_TOKENS + TEMPLATE_TOKENS;
  const completion = maxTokens ?? 0;
  const uncached = { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: 0 };
  const cached = { ...uncached, cached_tokens: prompt };
  const costUsd = Math.max(tokenCostUsd(uncached, price), tokenCostUsd(cached, price));
  return { costUsd, tokens: prompt + completion };
}
