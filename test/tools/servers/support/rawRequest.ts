import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** Opens a connection to a server. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Sends bytes as they are, and gives all that the server says until it closes the connection. */
export async function rawRequest(url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connectTo(url);
  for (const part of parts) socket.write(part);
  return text(socket);
}
