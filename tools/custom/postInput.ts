import { type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Redactor } from '../../schemas/createRedactor.ts';
import { askService, NoAnswer } from '../askService.ts';

/** A service that the user configured: it may be anywhere, the loopback included. */
export interface CustomService {
  /** The tool's tag, for messages. */
  readonly name: string;
  readonly url: string;
  /** Sent as a bearer token, never shown. */
  readonly apiKey?: string;
  /** Takes the key out of answers. */
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** Read of one answer; a longer one is a failure. */
  readonly maxBytes: number;
}

/** What a service answered, without its key. */
export interface CustomAnswer {
  /** The value of JSON; of other text the text. */
  readonly raw: JsonValue;
  /** As it came; of a JSON string its value. */
  readonly text: string;
}

/**
 * Sends an input as JSON and reads the answer: JSON where its content type says so, text otherwise. Throws
 * `RecordFailure` (`tool_unavailable`) when the service can't be reached, takes too long, answers with an error, at
 * too great a length or not with what it says; the signal's reason when that is aborted.
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
  // The parser quotes what it can't read.
  const error = redactor.text(parsed.error);
  return fail('says that it answers with JSON, and does not', { error });
}
