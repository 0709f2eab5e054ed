import { once } from 'node:events';
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../base/userError.ts';

/** Address of servers for this machine only. */
export const LOOPBACK = '127.0.0.1';

/** Default time for a client to send its whole request. */
export const RECEIVE_TIMEOUT_MS = 15_000;

/**
 * Clients keep connections open between calls. Node's default of 5 s expires while a busy client works on an answer.
 */
const KEEP_ALIVE_MS = 30_000;

/** Options of a Node server that disconnect only clients that send a request very slowly or partly. */
export function receiveLimits(receiveTimeoutMs: number): ServerOptions {
  // Node's server accepts whole milliseconds only.
  const wholeMs = Math.ceil(receiveTimeoutMs);
  return {
    requestTimeout: wholeMs,
    headersTimeout: wholeMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(wholeMs, 1000),
  };
}

/**
 * True for a request with two Host headers: Node reads the first, a proxy may read the other (RFC 9112, section 3.2).
 */
export function hasTwoHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}

/**
 * Starts listening.
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
  // A connection that could not be accepted, for instance for lack of descriptors, is lost; the server continues.
  server.on('error', () => {});
  return server.address() as AddressInfo;
}

/** Closes the server and its open connections. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
