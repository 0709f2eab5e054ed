import { once } from 'node:events';
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../base/userError.ts';

/** Where servers listen that are for this machine alone. */
export const LOOPBACK = '127.0.0.1';

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

/**
 * Makes a server listen.
 *
 * @param port 0 takes a free one
 * @param refusal the message where it can't, by why
 * @returns where it listens
 * @throws UserError with that message
 */
export async function startListening(
  server: Server,
  { port, host = LOOPBACK }: { readonly port: number; readonly host?: string },
  refusal: (why: string, code: string | undefined) => string,
): Promise<AddressInfo> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'something else listens there' : message;
    throw new UserError(refusal(why, code), { cause });
  }
  // A connection that could not be accepted, for instance for want of descriptors, is lost; the server goes on.
  server.on('error', () => {});
  return server.address() as AddressInfo;
}

/** Listens no more, and ends what is in flight. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
