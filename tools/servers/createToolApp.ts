import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { readUpTo } from '../../base/readUpTo.ts';
import { Refusal, refusalOf } from './refusal.ts';
import type { RequestGate } from './requestGate.ts';

/** The one thing that a tool server does. */
export interface ToolEndpoint {
  /** The tool that it serves. */
  readonly name: string;
  /** For instance `/search`; requests are POSTs of JSON. */
  readonly path: string;
  /** Answers a body. Throws `Refusal` for a bad request, `RecordFailure` when what is behind it fails. */
  answer(body: JsonValue, signal: AbortSignal): Promise<JsonObject>;
  /** Further things that it does. */
  readonly others?: readonly ToolRoute[];
  /** An error in the shape that clients of this endpoint read. `fault` is what was thrown for it, where that is more. */
  refuse(status: number, message: string, fault?: JsonObject): JsonObject;
}

/** A further thing that a server does. */
export interface ToolRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** As of {@link ToolEndpoint}; null for the body of a GET. */
  answer(body: JsonValue, signal: AbortSignal): Promise<JsonObject>;
}

export interface ToolAppOptions {
  readonly gate: RequestGate;
  /** For one answer. */
  readonly timeoutMs: number;
  /** What clients must send; undefined lets everybody in. */
  readonly apiKey?: string;
  readonly log: (facts: RequestFacts) => void;
}

/** Largest body of a request. */
const MAX_BODY_BYTES = 8_000_000;

type Served = { Variables: { id: string } };

/**
 * The server of a tool as an application: its endpoint, `GET /health` and `GET /`, which need no key. Every HTTP
 * request is answered with JSON and an `X-Request-Id`, and logged once.
 *
 * Requests with an `Origin` are refused: they come from a page in a browser, which has no business here, and whose
 * host name may have been made to lead to the loopback.
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

/** Gives a request its id and logs what became of it. */
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

/** What goes into logs and headers as it is. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's own id for a request where it is short and plain; otherwise a new one. */
function requestId(given: string | null | undefined): string {
  return given && SANE.test(given) ? given : randomUUID();
}

/**
 * A check that a request carries a key, as `X-API-KEY` or `Authorization: Bearer`. Hashes are compared, in constant
 * time, so that neither the key's length nor its beginning shows.
 *
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
 * The body of a request as JSON, whatever its `Content-Type`: Python clients that send a string name none.
 *
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

/** What is said of one request. Never what was asked or answered, nor a key. */
export interface RequestFacts {
  /** Name of the server: `web_search`, `crawl_page` or `wiki_search`. */
  readonly server: string;
  readonly id: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** What went wrong, for a status of 500 and up. */
  readonly error?: unknown;
}

/** Longest path that is logged. */
const MAX_PATH_CHARS = 100;

/** A line of the log: JSON with keys in one order, so whatever a client sends stays on its line. */
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

/** A failure behind the server is told by its message; a mistake of our own by where it happened. */
function describe(error: unknown, status: number): string {
  if (!(error instanceof Error)) return String(error);
  return status === 500 ? (error.stack ?? error.message) : error.message;
}
