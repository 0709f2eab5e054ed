import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import { USUAL_IMAGE_TOKENS, withoutImages } from '../../schemas/shownImages.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';

export interface ReportedCall {
  readonly request: OutgoingRequest;
  /** All text written by the model. */
  readonly said: string;
  readonly usage: Usage;
  /** Called if a report is rejected. */
  readonly recounted: (recount: Recount) => void;
}

/** Minimum share of our own count for a credible report; no tokenizer in use comes near it. */
const MIN_SHARE = 1 / 4;
/** Minimum count for the check. */
const MIN_COUNT = 64;

/** Usage of a call: as reported, or our own count if the report is missing or implausibly low. */
export function plausibleUsage({ request, said, usage, recounted }: ReportedCall): Usage {
  const prompt_tokens = isPlausible(usage.prompt_tokens, request.bytes)
    ? usage.prompt_tokens
    : plausibleCount(usage.prompt_tokens, promptOf(request)) + imageTokens(request, usage);
  const completion_tokens = plausibleCount(usage.completion_tokens, said);
  if (prompt_tokens === usage.prompt_tokens && completion_tokens === usage.completion_tokens) return usage;
  recounted({
    model: String(request.body.model),
    reported: usage.prompt_tokens + usage.completion_tokens,
    counted: prompt_tokens + completion_tokens,
  });
  return { ...usage, prompt_tokens, completion_tokens };
}

/** True if plausible; a text never has more tokens than bytes. */
function isPlausible(reported: number, bytes: number): boolean {
  return reported >= MIN_SHARE * bytes;
}

/** Tokens of images, which our count of the text omits. */
function imageTokens({ images }: OutgoingRequest, { prompt_tokens }: Usage): number {
  return prompt_tokens === 0 ? images * USUAL_IMAGE_TOKENS : 0;
}

/** Text that every endpoint counts; answer schemas are excluded, which some do not count. */
function promptOf({ body }: OutgoingRequest): string {
  const { messages, input, prompt, tools } = withoutImages(body).texts;
  return JSON.stringify([messages ?? input ?? prompt ?? '', tools ?? '']);
}

function plausibleCount(reported: number, text: string): number {
  if (isPlausible(reported, Buffer.byteLength(text))) return reported;
  if (reported === 0) return reckonedTokens(text);
  const enough = Math.max(MIN_COUNT - 1, reported / MIN_SHARE);
  const counted = reckonedTokens(text, enough);
  return counted > enough ? counted : reported;
}

const LINE_FEED = 10;
/** ASCII letters per token, for tokenizers of current models. */
const LETTERS_A_TOKEN = 4;
const UNITS_BETWEEN_LOOKS = 256;

/**
 * Token estimate without a tokenizer, rather too high: four ASCII letters per token within a word, one for each
 * digit, each sign or run of equal signs, each line end and indentation, and bytes minus one of other characters.
 * Other white space belongs to the following word.
 * @param enough - Where the text can't have more, counting stops early, with a number that is not above it.
 */
export function reckonedTokens(text: string, enough = 0): number {
  let tokens = 0;
  let letters = 0;
  let previous = 0;
  // Each unit of a text counts at most its bytes, and at most two.
  const most = Math.min(2 * text.length, Buffer.byteLength(text));
  for (let at = 0; at < text.length; at++) {
    if (at % UNITS_BETWEEN_LOOKS === 0 && tokens + letters + most - at <= enough) break;
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
