import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { receiveLimits, startListening } from '../../contract/serverRules.ts';
import { createToolApp, type ToolAppOptions, type ToolEndpoint } from './createToolApp.ts';
import { RequestGate } from './requestGate.ts';

/** Where and within which limits a tool is served. */
export interface ToolServerOptions extends Omit<ToolAppOptions, 'gate'> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Requests worked on at once; more are answered 503 with `Retry-After`. */
  readonly concurrency: number;
  /** For a client to send its whole request; then it is answered 408 and cut off. Default: 30 s. */
  readonly receiveTimeoutMs?: number;
  /** The option that chooses another port. */
  readonly portOption: string;
}

/** A running tool server. */
export interface ToolServer {
  readonly name: string;
  /** `http://HOST:PORT` */
  readonly baseUrl: string;
  /** The endpoint's address, for instance `http://127.0.0.1:9001/search`. */
  readonly url: string;
  /**
   * Takes no request any more and answers those in flight: when `cut` is aborted, or after `drainMs`, with 503.
   *
   * @param drainMs default: 10 s
   */
  close(cut: AbortSignal, drainMs?: number): Promise<void>;
}

/** For one answer; then 504. AFM's clients wait 500 s for a crawl. */
export const ANSWER_TIMEOUT_MS = 300_000;
/** Connections of idle and slow clients beside the requests that are worked on. */
const CONNECTIONS_PER_REQUEST = 4;
/** For the last answers to get out of the door. */
const FLUSH_MS = 1000;
const RECEIVE_TIMEOUT_MS = 30_000;
const DRAIN_MS = 10_000;

/** Serves a tool over HTTP. Throws `UserError` when the address can't be had. */
export async function startToolServer(
  endpoint: ToolEndpoint,
  {
    host,
    port,
    concurrency,
    receiveTimeoutMs = RECEIVE_TIMEOUT_MS,
    portOption,
    ...options
  }: ToolServerOptions,
): Promise<ToolServer> {
  const gate = new RequestGate(concurrency);
  const app = createToolApp(endpoint, { ...options, gate });
  const listener = getRequestListener(app.fetch, {
    // `Request` and `Response` stay Node's own for the rest of the process.
    overrideGlobalObjects: false,
    // HTTP/1.0 names no host; nothing is made of it.
    hostname: 'localhost',
    errorHandler: (error) => unusableRequest(endpoint, error),
  });
  const server = createServer(receiveLimits(receiveTimeoutMs), listener);
  server.maxConnections = concurrency * CONNECTIONS_PER_REQUEST;
  // A client that does not read its answer.
  server.timeout = options.timeoutMs + receiveTimeoutMs;
  const { name } = endpoint;
  const bound = await startListening(server, { port, host }, (why, code) => {
    const choice = portErrors.has(code) ? `port with ${portOption}` : 'address with --host';
    return `${name} can't be served on ${host}, port ${port}: ${why}; choose another ${choice}`;
  });
  const baseUrl = `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
  return {
    name,
    baseUrl,
    url: `${baseUrl}${endpoint.path}`,
    close: (cut, drainMs = DRAIN_MS) => closeServer(server, gate, drainMs, cut),
  };
}

/** The answer to a request whose address is none: it has no place in the application. */
function unusableRequest(endpoint: ToolEndpoint, error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  return Response.json(endpoint.refuse(status, 'the request has no usable address'), { status });
}

/** Errors of listening that another port ends: taken, or kept for the system's administrator. */
const portErrors: ReadonlySet<string | undefined> = new Set(['EADDRINUSE', 'EACCES']);

async function closeServer(
  server: Server,
  gate: RequestGate,
  drainMs: number,
  cut: AbortSignal,
): Promise<void> {
  const emptied = new AbortController();
  void gate.stop().then(() => emptied.abort());
  const flushed = new AbortController();
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).finally(() => flushed.abort());
  await passed(drainMs, AbortSignal.any([cut, emptied.signal]));
  gate.abortAll();
  // The last answers are under way; who has not even asked by now is not waited for.
  await passed(FLUSH_MS, flushed.signal);
  server.closeAllConnections();
  await closed;
}

/** Resolves after so long, or as soon as the signal is aborted. */
async function passed(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(durationMs, undefined, { signal }).catch(() => {});
}
