import { z } from 'zod';
import { Refusal } from './refusal.ts';

/** Checks a request's body. Throws `Refusal` 400 that names every field that is wrong and what is expected. */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown, expected: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues
    .slice(0, MAX_MISTAKES)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  // A number may break two rules that are told in the same words.
  throw new Refusal(400, `${[...new Set(mistakes)].join('; ')}. Expected ${expected}`);
}

/** Named in one answer; a list of a thousand numbers has a thousand mistakes. */
const MAX_MISTAKES = 5;

/** Longest query, in UTF-16 code units: longer ones come from an answer that went wrong. */
const MAX_QUERY_CHARS = 10_000;

/** A query as a client sends it; half of a surrogate pair, which JSON can spell, becomes U+FFFD. */
export const queryTextSchema = z
  .string('expected a text')
  .max(MAX_QUERY_CHARS, `is longer than ${MAX_QUERY_CHARS} characters`)
  .transform((text) => text.toWellFormed());

/** A text that clients may leave out, or send as null. */
export const optionalTextSchema = z
  .string('expected a text')
  .nullish()
  .transform((text) => text?.toWellFormed() ?? '');
