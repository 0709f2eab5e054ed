import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as OfferedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { RecordFailure } from '../../contract/errors.ts';
import {
  LOOPBACK,
  RECEIVE_TIMEOUT_MS,
  receiveLimits,
  startListening,
  stopListening,
} from '../../contract/serverRules.ts';
import type { Tool } from '../../contract/tool.ts';

export interface ListeningServer {
  readonly url: string;
  /** Stops listening and ends requests in flight. */
  close(): Promise<void>;
}

/** Maximum clients: idle, slow and active. */
const MAX_CONNECTIONS = 256;

/**
 * Serves MCP over streamable HTTP on the loopback, at `/mcp`, without sessions: each request stands for itself. Only
 * requests that name the loopback as their one host are answered, and none with an `Origin`: they come from a page in a
 * browser, which must not call tools, and one on another port of this machine is no more ours than one of elsewhere (MCP
 * specification, security of streamable HTTP).
 *
 * @param create makes the server of one request
 * @param port 0 takes a free one
 * @throws UserError when the port can't be had
 */
export async function serveOverHttp(create: () => Server, port: number): Promise<ListeningServer> {
  const server = createServer(receiveLimits(RECEIVE_TIMEOUT_MS), (request, response) => {
    handle(create, request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  const refusal = (why: string) =>
    `MCP can't be served on ${LOOPBACK}, port ${port}: ${why}; choose another with --port`;
  const bound = await startListening(server, { port }, refusal);
  return { url: `http://${LOOPBACK}:${bound.port}/mcp`, close: () => stopListening(server) };
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
  // The SDK's own types conflict under exactOptionalPropertyTypes.
  await mcp.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

function refusal(request: IncomingMessage): [status: number, message: string] | undefined {
  const { method, url, headers } = request;
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
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}

export interface ToolServerOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Version of this package. */
  readonly version: string;
  /** Logs each failed call as one line; never to standard output, which belongs to the client. */
  readonly log: (line: string) => void;
}

/**
 * Creates an MCP server that offers tools as agents of a run see them: the same names, schemas and texts. Errors of
 * the caller and of a tool's service are results with `isError`, as MCP requires; an unknown tool is a protocol
 * error.
 */
export function createToolServer({ tools, version, log }: ToolServerOptions): Server {
  const server = new Server({ name: 'coa-distill', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(offered) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.get(params.name);
    if (!tool) {
      const known = [...tools.keys()].join(', ');
      throw new McpError(
        ErrorCode.InvalidParams,
        `there is no tool ${params.name.slice(0, 100)}; there are ${known}`,
      );
    }
    const { isError, text } = await answer(tool, params.arguments ?? {}, signal, log);
    const result: CallToolResult = { content: [{ type: 'text', text }], ...(isError && { isError }) };
    return result;
  });
  return server;
}

function offered({ definition: { name, description, parameters } }: Tool): OfferedTool {
  return { name, description, inputSchema: parameters as OfferedTool['inputSchema'] };
}

async function answer(
  tool: Tool,
  given: unknown,
  signal: AbortSignal,
  log: ToolServerOptions['log'],
): Promise<{ readonly isError: boolean; readonly text: string }> {
  const parsed = tool.parseInput(given);
  if (!parsed.ok) return { isError: true, text: `the input can't be used: ${parsed.error}` };
  try {
    const { observation } = await tool.call(parsed.input, signal);
    return { isError: false, text: observation };
  } catch (error) {
    signal.throwIfAborted();
    log(`${tool.name}: ${(error as Error).message}`);
    // Other errors are bugs of ours, whose details do not help the caller.
    const why = error instanceof RecordFailure ? error.message : 'a fault in coa-distill; its log says more';
    return { isError: true, text: `the call failed: ${why}` };
  }
}
