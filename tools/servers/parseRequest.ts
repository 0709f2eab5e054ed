import type { z } from 'zod';
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
