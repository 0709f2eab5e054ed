import type { IncomingHttpHeaders } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { addCatalogueTools } from './mcpCatalogueTools.ts';
import { type HttpServer, startHttpServer } from './startHttpServer.ts';

/** A streamable HTTP server made with the SDK, and the headers of the requests that came. */
export interface McpHttpServer extends HttpServer {
  readonly url: string;
  readonly headers: IncomingHttpHeaders[];
  /** Forgets its sessions, as a server that was started again. */
  forget(): void;
}

/** Starts the catalogue behind a URL: with sessions, answers as event streams. */
export async function startMcpHttpServer(): Promise<McpHttpServer> {
  const headers: IncomingHttpHeaders[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = await startHttpServer(async (request, response) => {
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'] as string | undefined;
    const known = id === undefined ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end('no such session');
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    const mcp = new McpServer({ name: 'catalogue', version: '1.0.0' });
    addCatalogueTools(mcp);
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    return transport.handleRequest(request, response);
  });
  return { ...server, url: `${server.baseUrl}/mcp`, headers, forget: () => sessions.clear() };
}
