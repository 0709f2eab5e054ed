import type { JsonObject } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import { withoutImages } from '../../schemas/shownImages.ts';

/** A call of which usage is reported. */
export interface ReportedCall {
  /** The request's body. */
  readonly body: JsonObject;
  /** All that the model wrote. */
  readonly said: string;
  readonly usage: Usage;
  /** Told when the report is not believed. */
  readonly recounted: (recount: Recount) => void;
}

/** A report is not believed below this share of our own count, which no tokenizer in use comes near. */
const MIN_SHARE = 1 / 4;
/** Counts of a few tokens say nothing. */
const MIN_COUNT = 64;

/**
 * The usage that a call is taken to have: what was reported, or our own count where that is implausibly low, for then
 * no budget would be kept. A zero stays: it says that the endpoint does not count, and the meter takes the worst case.
 */
export function plausibleUsage({ body, said, usage, recounted }: ReportedCall): Usage {
  const { messages, input, prompt, tools } = withoutImages(body).texts;
  const sent = JSON.stringify([messages ?? input ?? prompt ?? '', tools ?? '']);
  const prompt_tokens = plausibleCount(usage.prompt_tokens, sent);
  const completion_tokens = plausibleCount(usage.completion_tokens, said);
  if (prompt_tokens === usage.prompt_tokens && completion_tokens === usage.completion_tokens) return usage;
  recounted({
    model: String(body.model),
    reported: usage.prompt_tokens + usage.completion_tokens,
    counted: prompt_tokens + completion_tokens,
  });
  return { ...usage, prompt_tokens, completion_tokens };
}

function plausibleCount(reported: number, text: string): number {
  // No count is above the number of bytes.
  if (reported === 0 || reported >= MIN_SHARE * Buffer.byteLength(text)) return reported;
  const counted = reckonedTokens(text);
  return counted >= MIN_COUNT && reported < MIN_SHARE * counted ? counted : reported;
}

const LINE_FEED = 10;
/** Letters of ASCII in one token, as tokenizers of current models have it. */
const LETTERS_A_TOKEN = 4;

/**
 * Tokens of a text without a tokenizer, rather a few too many: ASCII letters by four within a word, each digit and
 * sign, of equal signs in a row one, and each byte but one of other characters; a line's end and its indentation each
 * one. Other white space goes with what follows it.
 */
export function reckonedTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    if (isLetter) letters += 1;
    else {
      tokens += Math.ceil(letters / LETTERS_A_TOKEN) + tokensOfSign(code, previous);
      letters = 0;
    }
    previous = code;
  }
  return tokens + Math.ceil(letters / LETTERS_A_TOKEN);
}

function tokensOfSign(code: number, previous: number): number {
  if (code === LINE_FEED) return previous === LINE_FEED ? 0 : 1;
  if (code <= 32) return previous === LINE_FEED ? 1 : 0;
  const isDigit = code >= 48 && code <= 57;
  if (code < 128) return isDigit || code !== previous ? 1 : 0;
  return code < 0x800 ? 1 : 2;
}
