import type { IncomingMessage, ServerOptions } from 'node:http';

/** How long a client may take to send its whole request, where nothing else is configured. */
export const RECEIVE_TIMEOUT_MS = 15_000;

/** Clients keep their connections between calls. Node's own 5 s are over while a busy client works on an answer. */
const KEEP_ALIVE_MS = 30_000;

/** The options of a Node server that cut off who sends a request drop by drop, or half of one, and nobody else. */
export function receiveLimits(receiveTimeoutMs: number): ServerOptions {
  // Node's server takes whole milliseconds only.
  const wholeMs = Math.ceil(receiveTimeoutMs);
  return {
    requestTimeout: wholeMs,
    headersTimeout: wholeMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(wholeMs, 1000),
  };
}

/** True for a request that names two hosts: Node looks at the first, a proxy may look at the other (RFC 9112, section 3.2). */
export function hasTwoHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}
