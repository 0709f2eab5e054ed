import type { JsonObject } from '../../base/json.ts';
import type { Bill, CallMeter } from '../../contract/calls.ts';
import type { Sampling } from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { PricedEndpoint } from '../../schemas/config/models.ts';
import { MOST_IMAGE_TOKENS, USUAL_IMAGE_TOKENS } from '../../schemas/shownImages.ts';
import type { EndpointCall } from './createEndpointCall.ts';
import { endpointFault, RefusedRequest } from './endpointFault.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';

/** Meters an attempt: reserves its worst case before sending, and records its bill afterwards. */
export function meteredCall<Answer extends { readonly usage: Usage }>(
  call: EndpointCall<Answer>,
  meter: CallMeter,
  price: PricedEndpoint['price'],
): EndpointCall<Answer> {
  return async (attempt) => {
    const { request, signal } = attempt;
    const { body } = request;
    const parts = body.messages ?? body.input;
    const maxTokens = answerLimitOf(body);
    const sent = await meter.admit(
      {
        price,
        bodyBytes: request.bytes,
        imageTokens: request.images * MOST_IMAGE_TOKENS,
        messages: Array.isArray(parts) ? parts.length : 0,
        maxTokens,
      },
      signal,
    );
    // Nothing is sent before it leaves.
    let bill: Bill = { kind: 'nothing' };
    try {
      await attempt.leave();
      bill = { kind: 'unknown' };
      const answer = await call(attempt);
      bill = billOfAnswer(answer, maxTokens);
      return answer;
    } catch (error) {
      if (bill.kind === 'unknown') bill = billOfError(error);
      throw error;
    } finally {
      sent.end(bill);
    }
  };
}

/** Bill of an answer. Some servers report no count, or only one of the two: a zero is ignored. */
function billOfAnswer({ usage }: { readonly usage: Usage }, maxTokens?: number): Bill {
  const isCounted = usage.prompt_tokens > 0 && (usage.completion_tokens > 0 || maxTokens === 0);
  return isCounted ? { kind: 'used', usage } : { kind: 'unknown' };
}

/** Gateway timeouts: the server behind may have answered all the same. */
const lostBehindGateway: ReadonlySet<number> = new Set([408, 502, 504, 524]);

function billOfError(error: unknown): Bill {
  if (error instanceof RecordFailure) {
    const usage = error instanceof WithheldAnswer ? error.answer.usage : undefined;
    return usage ? billOfAnswer({ usage }) : { kind: 'unknown' };
  }
  const status = error instanceof RefusedRequest ? error.status : undefined;
  const wasRefused = status !== undefined && status >= 400 && !lostBehindGateway.has(status);
  if (wasRefused || endpointFault(error, false, 0).cause === 'endpoint_refused') return { kind: 'nothing' };
  return { kind: 'unknown' };
}

/** Characters of English per token, for tokenizers of current models. */
const CHARACTERS_A_TOKEN = 4;
/** Expected tokens of an answer without a limit. */
const USUAL_ANSWER_TOKENS = 512;

/**
 * Rough token estimate of a request for rate limits, as limiters compute it before the answer: characters by four,
 * images, and the maximum answer.
 */
export function estimatedTokens({ body, characters, images }: OutgoingRequest): number {
  const answerTokens = answerLimitOf(body) ?? USUAL_ANSWER_TOKENS;
  return Math.ceil(characters / CHARACTERS_A_TOKEN) + images * USUAL_IMAGE_TOKENS + answerTokens;
}

/** OpenAI's reasoning models refuse `max_tokens` with 400 and count their thoughts in the limit. */
const countsThoughts = /^(?:o[1-9]|gpt-[5-9])/;

/** Request members for sampling. */
export function samplingMembers(
  model: string,
  { max_tokens, extra_body, ...sampling }: Sampling,
): JsonObject {
  const limit = countsThoughts.test(model) ? 'max_completion_tokens' : 'max_tokens';
  return { ...extra_body, ...sampling, ...(max_tokens !== undefined && { [limit]: max_tokens }) };
}

/** Maximum tokens of an answer: none for embeddings; undefined if the endpoint decides. */
export function answerLimitOf({ max_tokens, max_completion_tokens, input }: JsonObject): number | undefined {
  if (input !== undefined) return 0;
  const limit = max_completion_tokens ?? max_tokens;
  return typeof limit === 'number' ? limit : undefined;
}
