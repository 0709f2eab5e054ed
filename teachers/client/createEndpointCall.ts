import type { Dispatcher } from 'undici';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { Redactor } from '../../schemas/createRedactor.ts';
import { ErrorInAnswer, pageWords, RefusedRequest, UnusableBody } from './endpointFault.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';
import { type HttpAnswer, WholeAnswer } from './wholeAnswer.ts';

/** Format of one kind of request and its answer. */
export interface EndpointWire<Answer extends { readonly usage: Usage }> {
  /** Path below the endpoint's address. */
  readonly path: `/${string}`;
  /**
   * Reads an answer with status 200.
   * @param recounted told when the usage is our own count
   * @throws UnusableBody when it is not an answer; RecordFailure when it is one that is of no use
   */
  read(answer: JsonValue, request: OutgoingRequest, recounted: (recount: Recount) => void): Answer;
}

/** Destination and format of requests. */
export interface EndpointCallOptions<Answer extends { readonly usage: Usage }> {
  readonly wire: EndpointWire<Answer>;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Removes the key from answers. */
  readonly redactor: Redactor;
  readonly dispatcher: Dispatcher;
  /** Called if a call is billed by our own count. */
  readonly recounted: (recount: Recount) => void;
}

/** One attempt at a request. */
export interface EndpointAttempt {
  readonly request: OutgoingRequest;
  /** Id of the request for the endpoint; compared if an answer carries one. */
  readonly requestId: string;
  readonly timeoutMs: number;
  /** Waits for another turn if this one expired while budget was being reserved. */
  readonly leave: () => Promise<void>;
  /** `expired` is set if the attempt's own time limit ended it. */
  readonly limit: { expired: boolean };
  readonly signal: AbortSignal;
}

/** Makes one attempt at a request; errors are unattributed. */
export type EndpointCall<Answer> = (attempt: EndpointAttempt) => Promise<Answer>;

/** Maximum delay of a Node timer; longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Logged by OpenAI; gateways that return it reveal mixed-up answers. */
const REQUEST_ID_HEADER = 'x-client-request-id';

/** POSTs requests like OpenAI's own client, each once. */
export function createEndpointCall<Answer extends { readonly usage: Usage }>(
  options: EndpointCallOptions<Answer>,
): EndpointCall<Answer> {
  const { wire, baseUrl, apiKey, redactor, recounted, dispatcher } = options;
  const { origin, path } = addressOf(baseUrl, wire.path);
  const headers = headersOf(apiKey);
  /** Learned from a refusal: the server only accepts the newer name of the answer limit. */
  let hasNewerLimit = false;

  return async function call(attempt) {
    const body = hasNewerLimit ? withNewerLimit(attempt.request.body) : attempt.request.body;
    try {
      return await send(attempt, body);
    } catch (error) {
      if (!asksForNewerLimit(error, body)) throw error;
      hasNewerLimit = true;
      return send(attempt, withNewerLimit(body));
    }
  };

  async function send(
    { request, requestId, limit, signal, ...attempted }: EndpointAttempt,
    body: JsonObject,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const whole = new WholeAnswer();
    const timer = setTimeout(
      () => {
        limit.expired = true;
        whole.giveUp(new Error('time limit of the attempt'));
      },
      Math.min(attempted.timeoutMs, MAX_TIMER_MS),
    );
    const onAbort = () => whole.giveUp(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const named = [...headers, REQUEST_ID_HEADER, requestId];
      dispatcher.dispatch(
        { origin, path, method: 'POST', headers: named, body: JSON.stringify(body) },
        whole,
      );
      const answered = await whole.answer;
      throwIfRefused(answered, `${origin}${path}`);
      throwIfForAnother(answered, requestId);
      const answer = redactor.json(parseAnswer(answered.text));
      throwIfError(answer);
      return wire.read(answer, request, recounted);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/**
 * True if a server refuses `max_tokens` and names the alternative, as OpenAI's reasoning models, Azure and their
 * gateways do.
 */
function asksForNewerLimit(error: unknown, body: JsonObject): boolean {
  const isRefused = error instanceof RefusedRequest && (error.status === 400 || error.status === 422);
  return isRefused && body.max_tokens !== undefined && error.message.includes('max_completion_tokens');
}

function withNewerLimit({ max_tokens, ...body }: JsonObject): JsonObject {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}

/** URL of requests: gateways may need a query after the path, such as `?api-version=1`. */
function addressOf(baseUrl: string, path: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, path: `${pathname.replace(/\/$/, '')}${path}${search}` };
}

/** Names and values alternately. A key read from a file may end in a line feed. */
function headersOf(apiKey: string | undefined): readonly string[] {
  const key = apiKey?.trim();
  return [
    'accept',
    'application/json',
    // Without it a server may compress, which is not supported here.
    'accept-encoding',
    'identity',
    'content-type',
    'application/json',
    'user-agent',
    `coa-distill/${packageVersion()}`,
    ...(key === undefined ? [] : ['authorization', `Bearer ${key}`]),
  ];
}

function throwIfRefused({ status, header, text }: HttpAnswer, address: string): void {
  if (status > 599) throw new UnusableBody(`the endpoint answered with status ${status}, which there is not`);
  if (status > 299)
    throw new RefusedRequest(status, text, {
      retryAfter: header('retry-after'),
      location: status < 400 ? header('location') : undefined,
      address,
    });
}

function throwIfForAnother({ header }: HttpAnswer, requestId: string): void {
  const answered = header(REQUEST_ID_HEADER);
  if (answered === undefined || answered === requestId) return;
  throw new UnusableBody(`the endpoint answered another request (${REQUEST_ID_HEADER} differs)`);
}

/**
 * Parses the body of a 200.
 *
 * @throws UnusableBody when it is not JSON
 */
function parseAnswer(body: string): JsonValue {
  if (body.trim() === '') throw new UnusableBody('the endpoint answered 200 with an empty body');
  const json = safeParseJson(body);
  if (json.ok) return json.value;
  const isStream = /^data: ?\{/.test(body);
  const what = isStream
    ? 'a stream of events (SSE) that was not asked for'
    : `text that is not JSON: ${body}`;
  throw new UnusableBody(`the endpoint answered 200 with ${pageWords(body) || what}`);
}

/** Throws the error that a provider sent in place of an answer or a choice. */
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
