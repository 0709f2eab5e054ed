import { type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Redactor } from '../../schemas/createRedactor.ts';
import { askService, NoAnswer } from '../askService.ts';

/** A service configured by the user, at any address including the loopback. */
export interface CustomService {
  readonly name: string;
  readonly url: string;
  /** Sent as a bearer token, never shown. */
  readonly apiKey?: string;
  /** Removes the key from answers. */
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** Maximum bytes of an answer; a longer one is a failure. */
  readonly maxBytes: number;
}

/** Answer of a service with its key redacted. */
export interface CustomAnswer {
  /** Value of JSON, otherwise the text. */
  readonly raw: JsonValue;
  /** Raw text; a JSON string as its value. */
  readonly text: string;
}

/**
 * Sends an input as JSON and reads the answer: JSON according to its content type, otherwise text. Throws
 * `RecordFailure` (`tool_unavailable`) if the service is unreachable, times out, or returns an error, an oversized
 * answer or one of the wrong type; the signal's reason on abort.
 */
export async function postInput(
  service: CustomService,
  input: JsonObject,
  signal: AbortSignal,
): Promise<CustomAnswer> {
  const { name, url, timeoutMs, redactor } = service;
  const fail = (problem: string, evidence: JsonObject, cause?: unknown): never => {
    signal.throwIfAborted();
    const all = { tool: name, service: new URL(url).origin, ...evidence };
    throw new RecordFailure('tool_unavailable', `${name}: the service ${problem}`, all, { cause });
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/*',
    ...(service.apiKey && { authorization: `Bearer ${service.apiKey}` }),
  };
  const request = { ...service, method: 'POST', headers, body: JSON.stringify(input) } as const;
  const answer = await askService(request, signal).catch((error: Error) =>
    error instanceof NoAnswer && error.kind === 'late'
      ? fail('did not answer in time', { timeout_ms: timeoutMs }, error)
      : fail('could not be asked', { error: error.message }, error),
  );
  if (!answer.ok) return fail(`answered with HTTP status ${answer.status}`, { status: answer.status });
  const text = redactor.text(answer.text);
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(answer.headers.get('content-type') ?? '');
  if (!isJson) return { raw: text, text };
  const parsed = safeParseJson(answer.text);
  if (parsed.ok) {
    const raw = redactor.json(parsed.value);
    return { raw, text: typeof raw === 'string' ? raw : text };
  }
  // The parser quotes invalid text.
  const error = redactor.text(parsed.error);
  return fail('says that it answers with JSON, and does not', { error });
}
