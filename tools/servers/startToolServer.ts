import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { receiveLimits, startListening } from '../../contract/serverRules.ts';
import { createToolApp, type ToolAppOptions, type ToolEndpoint } from './createToolApp.ts';
import { RequestGate } from './requestGate.ts';

/** Address and limits of a served tool. */
export interface ToolServerOptions extends Omit<ToolAppOptions, 'gate'> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Maximum concurrent requests; more are answered 503 with `Retry-After`. */
  readonly concurrency: number;
  /** Time for a client to send its whole request; then 408 and disconnection. Default: 30 s. */
  readonly receiveTimeoutMs?: number;
  /** Option for another port. */
  readonly portOption: string;
}

export interface ToolServer {
  readonly name: string;
  /** `http://HOST:PORT` */
  readonly baseUrl: string;
  /** Address of the endpoint, such as `http://127.0.0.1:9001/search`. */
  readonly url: string;
  /**
   * Stops accepting requests; those in flight finish, or get 503 when `cut` is aborted or after `drainMs`.
   * @param drainMs default: 10 s
   */
  close(cut: AbortSignal, drainMs?: number): Promise<void>;
}

/** Timeout of an answer; then 504. AFM's clients wait 500 s for a crawl. */
export const ANSWER_TIMEOUT_MS = 300_000;
/** Connections for idle and slow clients per active request. */
const CONNECTIONS_PER_REQUEST = 4;
/** Time for the last answers to be sent. */
const FLUSH_MS = 1000;
const RECEIVE_TIMEOUT_MS = 30_000;
const DRAIN_MS = 10_000;

/** Serves a tool over HTTP. Throws `UserError` if the address is unavailable. */
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
    // HTTP/1.0 sends no host; the value is unused.
    hostname: 'localhost',
    errorHandler: (error) => unusableRequest(endpoint, error),
  });
  const server = createServer(receiveLimits(receiveTimeoutMs), listener);
  server.maxConnections = concurrency * CONNECTIONS_PER_REQUEST;
  // For a client that does not read its answer.
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

/** Answer to a request with an invalid address, which no route can handle. */
function unusableRequest(endpoint: ToolEndpoint, error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  return Response.json(endpoint.refuse(status, 'the request has no usable address'), { status });
}

/** Listening errors that another port solves: taken or privileged. */
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
  // The last answers are being sent; clients without a request are not waited for.
  await passed(FLUSH_MS, flushed.signal);
  server.closeAllConnections();
  await closed;
}

/** Resolves after a delay or when the signal is aborted. */
async function passed(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(durationMs, undefined, { signal }).catch(() => {});
}
