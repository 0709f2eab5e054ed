import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ToolEndpoint } from './createToolApp.ts';

/**
 * Answers what is not an HTTP request, or not all of one, with a message in the endpoint's shape and ends the connection.
 * Node's own answers to it have no body.
 *
 * @returns a listener of `clientError`
 */
export function answerBrokenRequest(
  endpoint: Pick<ToolEndpoint, 'refuse'>,
  receiveTimeoutMs: number,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const [status, message] = meaningOf(error, receiveTimeoutMs);
    const body = JSON.stringify(endpoint.refuse(status, message));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  };
}

/** The codes are those of Node's HTTP parser (nodejs.org, Event: 'clientError'). */
function meaningOf({ code }: NodeJS.ErrnoException, receiveTimeoutMs: number): [number, string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, `the request did not come within ${receiveTimeoutMs / 1000} s`];
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the head of the request is too large'];
  return [400, 'this is not an HTTP request'];
}
