import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { QueryRefused } from '../webSearch/searchProvider.ts';

/** An error answer to a request. Its message is for the client. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Headers of the status: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Details for an endpoint's own error shape. */
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

/** Seconds that a client waits before a retry. */
export const RETRY_AFTER = { 'Retry-After': '1' };

/** Refusal of a server at capacity. */
export function busy(): Refusal {
  return new Refusal(503, 'the server has all the requests it takes at once; try again', RETRY_AFTER);
}

/** Refusal of a server that is stopping. */
export function stopping(): Refusal {
  return new Refusal(503, 'the server is being stopped', RETRY_AFTER);
}

/**
 * Error for a client: a refusal unchanged, a failure behind the server as 502 (503 if a retry is requested), anything
 * else as 500 without details.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof QueryRefused) return new Refusal(400, error.message);
  if (!(error instanceof RecordFailure)) return new Refusal(500, 'internal error; the server has logged it');
  return error.failure.cause === 'endpoint_rate_limited'
    ? new Refusal(503, error.message, RETRY_AFTER)
    : new Refusal(502, error.message);
}

/** Validates a request's body. Throws `Refusal` 400 with every invalid field and the expected value. */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown, expected: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues
    .slice(0, MAX_MISTAKES)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  // A number may break two rules with the same message.
  throw new Refusal(400, `${[...new Set(mistakes)].join('; ')}. Expected ${expected}`);
}

/** Maximum mistakes named in an answer; a list of a thousand numbers has a thousand. */
const MAX_MISTAKES = 5;

/** Maximum query length in UTF-16 code units: longer ones come from a broken model answer. */
const MAX_QUERY_CHARS = 10_000;

/** Query from a client; a lone surrogate, which JSON can contain, becomes U+FFFD. */
export const queryTextSchema = z
  .string('expected a text')
  .max(MAX_QUERY_CHARS, `is longer than ${MAX_QUERY_CHARS} characters`)
  .transform((text) => text.toWellFormed());

/** Optional text, which clients may omit or send as null. */
export const optionalTextSchema = z
  .string('expected a text')
  .nullish()
  .transform((text) => text?.toWellFormed() ?? '');
