import OpenAI from 'openai';
import { type Dispatcher, request } from 'undici';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { Redactor } from '../../schemas/redaction/createRedactor.ts';
import { ErrorInAnswer, UnusableBody } from './endpointFault.ts';
import type { EndpointWire } from './endpointWire.ts';

/** Where and how requests go. */
export interface EndpointCallOptions<Answer extends { readonly usage: Usage }> {
  readonly wire: EndpointWire<Answer>;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Takes the key out of answers. */
  readonly redactor: Redactor;
  readonly dispatcher: Dispatcher;
  /** Told when a call is billed by our own count. */
  readonly recounted: (recount: Recount) => void;
  /** Largest answer that is read. */
  readonly maxAnswerBytes: number;
}

/** One attempt at a request. */
export interface EndpointAttempt {
  readonly body: JsonObject;
  /** Names the request to the endpoint; of an answer that names a request, it is compared. */
  readonly requestId: string;
  readonly timeoutMs: number;
  /** `expired` is set when the attempt's own time limit ended it. */
  readonly limit: { expired: boolean };
  readonly signal: AbortSignal;
}

/** Makes one attempt at a request; throws whatever went wrong, unattributed. */
export type EndpointCall<Answer> = (attempt: EndpointAttempt) => Promise<Answer>;

/** Longest time that a timer of Node takes; it fires a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** OpenAI logs it; gateways that carry it back let a mixed-up answer be seen. */
const REQUEST_ID_HEADER = 'x-client-request-id';

/** The `openai` client without its silent retries, its environment variables and its log. */
export function createEndpointCall<Answer extends { readonly usage: Usage }>(
  options: EndpointCallOptions<Answer>,
): EndpointCall<Answer> {
  const { wire, baseUrl, apiKey, redactor, recounted, dispatcher, maxAnswerBytes } = options;
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    defaultHeaders: apiKey === undefined ? { Authorization: null } : {},
    fetch: createLeanFetch({ dispatcher, maxBytes: maxAnswerBytes }),
  });

  return async function call({ body, requestId, limit, signal, ...attempted }) {
    signal.throwIfAborted();
    const timeoutMs = Math.min(attempted.timeoutMs, MAX_TIMER_MS);
    const attempt = new AbortController();
    const timer = setTimeout(() => {
      limit.expired = true;
      attempt.abort(new Error('time limit of the attempt'));
    }, timeoutMs);
    const onAbort = () => attempt.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const response = await wire
        .send(client, body, {
          signal: attempt.signal,
          timeout: timeoutMs,
          headers: { [REQUEST_ID_HEADER]: requestId },
        })
        .asResponse();
      throwIfForAnother(response, requestId);
      const answer = redactor.json(parseAnswer(await response.text()));
      throwIfError(answer);
      return wire.read(answer, body, recounted);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
}

function throwIfForAnother(response: Response, requestId: string): void {
  const answered = response.headers.get(REQUEST_ID_HEADER);
  if (answered === null || answered === requestId) return;
  throw new UnusableBody(`the endpoint answered another request (${REQUEST_ID_HEADER} differs)`);
}

/**
 * Parses the body of a 200.
 *
 * @throws UnusableBody when it is no JSON
 */
function parseAnswer(body: string): JsonValue {
  if (body.trim() === '') throw new UnusableBody('the endpoint answered 200 with an empty body');
  const json = safeParseJson(body);
  if (json.ok) return json.value;
  const isPage = /^\s*<(?:!doctype|html)/i.test(body);
  throw new UnusableBody(
    `the endpoint answered 200 with ${isPage ? 'an HTML page instead of JSON' : 'text that is not JSON'}`,
  );
}

/** Throws the error that a provider sent in the place of an answer, or in that of its choice. */
function throwIfError(answer: JsonValue): void {
  if (!isJsonObject(answer)) return;
  const { error, choices, data } = answer;
  if (answer.object === 'error') throw new ErrorInAnswer(answer);
  const [choice] = Array.isArray(choices) ? choices : [];
  if (isJsonObject(choice) && isJsonObject(choice.error)) throw new ErrorInAnswer(choice.error);
  if (error !== undefined && error !== null && choices === undefined && data === undefined) {
    throw new ErrorInAnswer(error);
  }
}

/** How requests are sent. */
interface LeanFetchOptions {
  readonly dispatcher: Dispatcher;
  /** Largest body that is read; a larger one is an `UnusableBody`. */
  readonly maxBytes: number;
}

/** Statuses that have none (Fetch standard, null body status). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` for the `openai` package without the Fetch standard's streams, which cost as much CPU as all else of a
 * call. It reads the whole body, no more than is allowed, before it resolves, so that a time limit covers the body.
 */
function createLeanFetch({ dispatcher, maxBytes }: LeanFetchOptions): typeof fetch {
  return async function leanFetch(url, init = {}) {
    const { statusCode, headers, body } = await request(String(url), {
      dispatcher,
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: (init.body ?? null) as string | null,
      signal: init.signal ?? null,
    });
    const bytes = await readUpTo(body, maxBytes);
    if (statusCode > 599)
      throw new UnusableBody(`the endpoint answered with status ${statusCode}, which there is not`);
    const hasBody = !withoutBody.has(statusCode);
    return new Response(hasBody ? bytes : null, { status: statusCode, headers: flat(headers) });
  } as typeof fetch;
}

async function readUpTo(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new UnusableBody(`the endpoint's answer is larger than max_answer_bytes, ${maxBytes} bytes`, {
        retried: false,
      });
    }
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** `set-cookie` and others that come more than once, as one line each. */
function flat(headers: Dispatcher.ResponseData['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}
