import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { QueryRefused } from '../webSearch/searchProvider.ts';

/** An answer to a request that is not the one it asked for. Its message is for the client. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** HTTP status, 400 and up. */
  readonly status: number;
  /** What the status asks for: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What an endpoint's own shape of errors says besides. */
  readonly fault: JsonObject | undefined;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    fault?: JsonObject,
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.fault = fault;
  }
}

/** Waited by a client that was told to come again, in seconds. */
export const RETRY_AFTER = { 'Retry-After': '1' };

/** A server that has as much work as it takes. */
export function busy(): Refusal {
  return new Refusal(503, 'the server has all the requests it takes at once; try again', RETRY_AFTER);
}

/** A server that is being stopped. */
export function stopping(): Refusal {
  return new Refusal(503, 'the server is being stopped', RETRY_AFTER);
}

/**
 * What a client is told of an error: a refusal as it is, a failure of what is behind the server as 502 (503 where that
 * asks to come again), anything else as 500 without a word of what it was.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof QueryRefused) return new Refusal(400, error.message);
  if (!(error instanceof RecordFailure)) return new Refusal(500, 'internal error; the server has logged it');
  return error.failure.cause === 'endpoint_rate_limited'
    ? new Refusal(503, error.message, RETRY_AFTER)
    : new Refusal(502, error.message);
}

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
