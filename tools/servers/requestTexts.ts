import { z } from 'zod';

/** Longest query, in UTF-16 code units: longer ones are an answer gone wrong. */
export const MAX_QUERY_CHARS = 10_000;

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
