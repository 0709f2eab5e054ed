import type { JsonObject } from '../../base/json.ts';
import { USUAL_IMAGE_TOKENS, withoutImages } from '../../schemas/shownImages.ts';

/** Characters of English to a token, as tokenizers of current models have it. */
const CHARACTERS_A_TOKEN = 4;
/** Expected of an answer whose length the request does not limit. */
const USUAL_ANSWER_TOKENS = 512;

/**
 * What a request will count towards tokens a minute, roughly, as rate limiters reckon before the answer is there:
 * its characters by four, its images, and the longest answer that it allows.
 */
export function estimatedTokens(body: JsonObject): number {
  const { texts, images } = withoutImages(body);
  const { messages, input, tools } = texts;
  const characters =
    JSON.stringify(messages ?? input ?? []).length + (tools ? JSON.stringify(tools).length : 0);
  const answerTokens = answerLimitOf(body) ?? USUAL_ANSWER_TOKENS;
  return Math.ceil(characters / CHARACTERS_A_TOKEN) + images * USUAL_IMAGE_TOKENS + answerTokens;
}

/** OpenAI's models that think before they answer refuse `max_tokens` with 400 and count their thoughts along. */
const countsThoughts = /^(?:o[1-9]|gpt-[5-9])/;

/** The member of a request that limits its answer, as its model knows it. */
export function answerLimit(model: string, maxTokens: number | undefined): JsonObject {
  if (maxTokens === undefined) return {};
  return countsThoughts.test(model) ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

/** The most tokens that the answer to a request may have: none for embeddings; undefined where the endpoint decides. */
export function answerLimitOf({ max_tokens, max_completion_tokens, input }: JsonObject): number | undefined {
  if (input !== undefined) return 0;
  const limit = max_completion_tokens ?? max_tokens;
  return typeof limit === 'number' ? limit : undefined;
}
