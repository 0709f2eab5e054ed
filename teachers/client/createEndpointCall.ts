import type { Dispatcher } from 'undici';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { Redactor } from '../../schemas/createRedactor.ts';
import { ErrorInAnswer, pageWords, RefusedRequest, UnusableBody } from './endpointFault.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';
import { type HttpAnswer, WholeAnswer } from './wholeAnswer.ts';

/** How one kind of request goes out, and how its answer is read. */
export interface EndpointWire<Answer extends { readonly usage: Usage }> {
  /** Where it goes, under the endpoint's address. */
  readonly path: `/${string}`;
  /**
   * Reads the answer of a 200.
   *
   * @param recounted told when the usage is our own count
   * @throws UnusableBody when it is not an answer; RecordFailure when it is one that is of no use
   */
  read(answer: JsonValue, request: OutgoingRequest, recounted: (recount: Recount) => void): Answer;
}

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
}

/** One attempt at a request. */
export interface EndpointAttempt {
  readonly request: OutgoingRequest;
  /** Names the request to the endpoint; of an answer that names a request, it is compared. */
  readonly requestId: string;
  readonly timeoutMs: number;
  /** Waits for another turn where this one was missed, while money was put aside for it. */
  readonly leave: () => Promise<void>;
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

/** POSTs requests as OpenAI's own client does, each once. */
export function createEndpointCall<Answer extends { readonly usage: Usage }>(
  options: EndpointCallOptions<Answer>,
): EndpointCall<Answer> {
  const { wire, baseUrl, apiKey, redactor, recounted, dispatcher } = options;
  const { origin, path } = addressOf(baseUrl, wire.path);
  const headers = headersOf(apiKey);
  /** Learnt from the server's refusal: it knows the limit of an answer by its newer name alone. */
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

/** OpenAI's models that think, Azure and gateways before them refuse `max_tokens` and name what they take instead. */
function asksForNewerLimit(error: unknown, body: JsonObject): boolean {
  const isRefused = error instanceof RefusedRequest && (error.status === 400 || error.status === 422);
  return isRefused && body.max_tokens !== undefined && error.message.includes('max_completion_tokens');
}

function withNewerLimit({ max_tokens, ...body }: JsonObject): JsonObject {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}

/** Where requests go: gateways may ask for a query behind the path, such as `?api-version=1`. */
function addressOf(baseUrl: string, path: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, path: `${pathname.replace(/\/$/, '')}${path}${search}` };
}

/** Names and values in turn. A key that was read from a file may end in a line feed. */
function headersOf(apiKey: string | undefined): readonly string[] {
  const key = apiKey?.trim();
  return [
    'accept',
    'application/json',
    // Without it a server may compress, and nothing here unpacks.
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
