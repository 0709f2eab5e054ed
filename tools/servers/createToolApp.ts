import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { readUpTo } from '../../base/readUpTo.ts';
import { Refusal, refusalOf } from './refusal.ts';
import type { RequestGate } from './requestGate.ts';

/** The endpoint of a tool server. */
export interface ToolEndpoint {
  /** Name of the served tool. */
  readonly name: string;
  /** Path such as `/search`; requests are POSTs of JSON. */
  readonly path: string;
  /** Answers a body. Throws `Refusal` for a bad request, `RecordFailure` for a failing back end. */
  answer(body: JsonValue, signal: AbortSignal): Promise<JsonObject>;
  /** Additional routes. */
  readonly others?: readonly ToolRoute[];
  /** Error in the shape that clients of this endpoint read. `fault` has further details of the error. */
  refuse(status: number, message: string, fault?: JsonObject): JsonObject;
}

/** Additional route of a server. */
export interface ToolRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Like {@link ToolEndpoint}; null for the body of a GET. */
  answer(body: JsonValue, signal: AbortSignal): Promise<JsonObject>;
}

export interface ToolAppOptions {
  readonly gate: RequestGate;
  /** Timeout of one answer. */
  readonly timeoutMs: number;
  /** Key required from clients; undefined: none. */
  readonly apiKey?: string;
  readonly log: (facts: RequestFacts) => void;
}

/** Maximum request body. */
const MAX_BODY_BYTES = 8_000_000;

type Served = { Variables: { id: string } };

/**
 * A tool's server as an application: its endpoint, and `GET /health` and `GET /` without a key. Every HTTP request is
 * answered with JSON and an `X-Request-Id`, and logged once.
 *
 * Requests with an `Origin` are refused: they come from a browser page, whose host name may have been made to resolve
 * to the loopback.
 */
export function createToolApp(endpoint: ToolEndpoint, options: ToolAppOptions): Hono<Served> {
  const { gate, timeoutMs, apiKey } = options;
  const checkKey = apiKey === undefined ? () => {} : apiKeyCheck(apiKey);
  const { name, others = [] } = endpoint;
  const routes: readonly ToolRoute[] = [{ method: 'POST', ...endpoint }, ...others];
  const served = routes.map((route) => `${route.method} ${route.path}`);
  const allow = (method: string) => () => {
    throw new Refusal(405, `use ${method}`, { Allow: method });
  };
  const app = new Hono<Served>();
  app.use(watching(endpoint, options));
  app.onError((error, context) => send(context, endpoint, refusalOf(error)));
  app.get('/health', (context) => context.json({ status: 'healthy', service: name, in_flight: gate.size }));
  app.get('/', (context) => context.json({ service: name, endpoints: [...served, 'GET /health'] }));
  app.on(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'], ['/health', '/'], allow('GET'));
  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    if (headers.has('origin')) throw new Refusal(403, 'requests from pages in a browser are not served');
    checkKey(headers);
    await next();
  });
  for (const route of routes) {
    app.on(route.method, route.path, async (context) => {
      const request = context.req.raw;
      const answer = await gate.pass({ timeoutMs, clientGone: request.signal }, async (signal) =>
        route.answer(route.method === 'GET' ? null : await readJsonBody(request, MAX_BODY_BYTES), signal),
      );
      return context.json(answer);
    });
    app.all(route.path, allow(route.method));
  }
  app.notFound((context) =>
    send(
      context,
      endpoint,
      new Refusal(404, `there is nothing here; ${served.join(', ')} and GET /health are served`),
    ),
  );
  return app;
}

/** Assigns a request id and logs the result. */
function watching({ name }: ToolEndpoint, { gate, log }: ToolAppOptions) {
  return async (context: Context<Served>, next: () => Promise<void>): Promise<void> => {
    const startedAt = performance.now();
    const id = requestId(context.req.header('x-request-id'));
    context.header('X-Request-Id', id);
    await next();
    if (gate.isStopping) context.header('Connection', 'close');
    const { method, path } = context.req;
    const { status } = context.res;
    const durationMs = performance.now() - startedAt;
    log({
      server: name,
      id,
      method,
      path,
      status,
      durationMs,
      ...(status >= 500 && { error: context.error }),
    });
  };
}

function send(context: Context, endpoint: ToolEndpoint, refusal: Refusal): Response {
  const { status, message, headers, fault } = refusal;
  return context.json(endpoint.refuse(status, message, fault), status as ContentfulStatusCode, {
    ...headers,
  });
}

/** Ids that are safe in logs and headers. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's request id if short and plain; otherwise a new one. */
function requestId(given: string | null | undefined): string {
  return given && SANE.test(given) ? given : randomUUID();
}

/**
 * Creates a check for a key in `X-API-KEY` or `Authorization: Bearer`. Compares hashes in constant time, so that
 * neither length nor prefix leaks.
 * @returns the check; it throws `Refusal` 401 for a request without the key
 */
function apiKeyCheck(apiKey: string): (headers: Headers) => void {
  const expected = digest(apiKey);
  return (headers) => {
    const given = [headers.get('x-api-key'), bearerOf(headers.get('authorization'))];
    if (given.some((key) => key !== undefined && key !== null && timingSafeEqual(digest(key), expected)))
      return;
    throw new Refusal(401, 'the key is missing or wrong; send it as X-API-KEY or as Authorization: Bearer', {
      'WWW-Authenticate': 'Bearer',
    });
  };
}

function bearerOf(authorization: string | null): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Parses a request body as JSON, whatever its `Content-Type`: Python clients that send a string set none.
 * @throws Refusal 413 for a body of more than `maxBytes` bytes, 415 for a compressed one, 400 for one that broke off,
 *   is not UTF-8 or not JSON
 */
async function readJsonBody(request: Request, maxBytes: number): Promise<JsonValue> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new Refusal(415, 'send the body without compression');
  const parsed = safeParseJson(decode(await readBytes(request, maxBytes)));
  if (!parsed.ok) throw new Refusal(400, `the body is not JSON: ${parsed.error}`);
  return parsed.value;
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = new Refusal(413, `the body is larger than ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge;
  const { bytes, cut } = await readUpTo(request.body ?? [], maxBytes).catch(() => {
    throw new Refusal(400, 'the body broke off');
  });
  if (cut) throw tooLarge;
  return bytes;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, 'the body is not UTF-8');
  }
}

/** Logged facts of a request, without its content, answer or key. */
export interface RequestFacts {
  /** Server name: `web_search`, `crawl_page` or `wiki_search`. */
  readonly server: string;
  readonly id: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Error of a status of 500 and up. */
  readonly error?: unknown;
}

/** Maximum logged length of a path. */
const MAX_PATH_CHARS = 100;

/** Log line: JSON with a fixed key order, so that client input cannot leave its line. */
export function requestLine({ server, id, method, path, status, durationMs, error }: RequestFacts): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    server,
    id,
    method,
    path: path.slice(0, MAX_PATH_CHARS),
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...(error !== undefined && { error: describe(error, status) }),
  });
}

/** Describes an error: a failure behind the server by its message, a bug by its location. */
function describe(error: unknown, status: number): string {
  if (!(error instanceof Error)) return String(error);
  return status === 500 ? (error.stack ?? error.message) : error.message;
}
