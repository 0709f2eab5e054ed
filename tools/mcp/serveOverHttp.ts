import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { hasTwoHosts, RECEIVE_TIMEOUT_MS, receiveLimits } from '../../contract/serverRules.ts';
import { answerBrokenRequest } from '../servers/answerBrokenRequest.ts';

export interface ListeningServer {
  readonly url: string;
  /** Ends what is in flight, and listens no more. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** Idle, slow and asking clients together. */
const MAX_CONNECTIONS = 256;
/**
 * Serves MCP over streamable HTTP on the loopback, at `/mcp`, without sessions: each request stands for itself. Only
 * requests that name the loopback as their one host are answered, and none with an `Origin`: they come from a page in a
 * browser, which must not call tools, and one on another port of this machine is no more ours than one of elsewhere (MCP
 * specification, security of streamable HTTP).
 *
 * @param create makes the server of one request
 * @param port 0 takes a free one
 * @param receiveTimeoutMs for a client to send its whole request; then it is answered 408 and cut off
 * @throws UserError when the port can't be had
 */
export async function serveOverHttp(
  create: () => Server,
  port: number,
  receiveTimeoutMs = RECEIVE_TIMEOUT_MS,
): Promise<ListeningServer> {
  const limits = receiveLimits(receiveTimeoutMs);
  const server = createServer(limits, (request, response) => {
    handle(create, request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', answerBrokenRequest({ refuse: refusalBody }, receiveTimeoutMs));
  await listen(server, port);
  // A connection that could not be accepted, for instance for want of descriptors, is lost; the server goes on.
  server.on('error', () => {});
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: HttpServer, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, LOOPBACK, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'something else listens there' : cause.message;
    const what = `MCP can't be served on ${LOOPBACK}, port ${port}: ${why}`;
    throw new UserError(`${what}; choose another with --port`, { cause });
  });
}

async function handle(
  create: () => Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = refusal(request);
  if (refused) return refuse(response, ...refused);
  const mcp = create();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void mcp.close());
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await mcp.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

function refusal(request: IncomingMessage): [status: number, message: string] | undefined {
  const { method, url, headers } = request;
  if (hasTwoHosts(request)) return [400, 'expected one Host header'];
  if (!isLoopback(`http://${headers.host}`)) return [403, 'expected a Host header that names the loopback'];
  if (headers.origin !== undefined) return [403, 'web pages may not call tools'];
  if (url !== '/mcp') return [404, 'MCP is at /mcp'];
  if (method !== 'POST') return [405, 'expected POST: this server keeps no sessions'];
  return undefined;
}

function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify(refusalBody(status, message)));
}

function refusalBody(_status: number, message: string): JsonObject {
  return { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
}
