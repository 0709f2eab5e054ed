import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpLink } from '../../../tools/mcp/httpLink.ts';
import { McpServer, type McpServerOptions } from '../../../tools/mcp/mcpServer.ts';
import { hostilePage } from '../support/mcpCatalogueTools.ts';
import { failureIn, never } from '../support/mcpServers.ts';
import { startHttpServer } from '../support/startHttpServer.ts';
import { startMcpHttpServer } from '../support/startMcpHttpServer.ts';

/** Limits that only a hang meets. */
const hang = { timeoutMs: 120_000, startTimeoutMs: 120_000 };
/** Of a server that greets, and answers no call. */
const silence = { ...hang, timeoutMs: 500 };

function serverAt(
  url: string,
  headers: Record<string, string> = {},
  maxBytes = 10_000,
  limits: Pick<McpServerOptions, 'timeoutMs' | 'startTimeoutMs'> = hang,
): McpServer {
  const server = new McpServer({
    name: 'remote',
    link: () => httpLink({ url, headers }, maxBytes),
    ...limits,
    concurrency: 4,
    maxRestarts: Number.POSITIVE_INFINITY,
    secrets: Object.values(headers),
  });
  onTestFinished(() => server.close());
  return server;
}

describe('a streamable HTTP server made with the SDK', () => {
  test('is called within one session, every request with the key', async () => {
    const service = await startMcpHttpServer();
    const key = 'Bearer sk-a-key-0123456789';
    const server = serverAt(service.url, { authorization: key });
    const calls = Array.from({ length: 3 }, () => server.call('get_product', { query: 'lamp' }, never));
    for (const { content } of await Promise.all(calls)) {
      expect(content).toEqual([{ type: 'text', text: hostilePage }]);
    }
    expect(await server.list(never, new Set(['compare']))).toHaveLength(1);
    expect(service.headers.length).toBeGreaterThanOrEqual(6);
    for (const headers of service.headers) expect(headers.authorization).toBe(key);
    const sessions = new Set(service.headers.map((headers) => headers['mcp-session-id']));
    expect(sessions.size).toBe(2);
  });

  test('that has forgotten the session fails the call, and is greeted again for the next', async () => {
    const service = await startMcpHttpServer();
    const server = serverAt(service.url);
    await server.call('compare', { a: 'lamp', b: 'chair' }, never);
    service.forget();
    const compare = () => server.call('compare', { a: 'lamp', b: 'chair' }, never);
    for (const { message } of await Promise.all([failureIn(compare()), failureIn(compare())])) {
      expect(message).toBe('the MCP server remote answered with HTTP status 404');
    }
    service.headers.length = 0;
    for (let calls = 0; calls < 3; calls++) {
      expect((await compare()).content).toEqual([{ type: 'text', text: '{"dearer":"lamp"}' }]);
    }
    // The old session's end, whenever it comes, does not end the new one.
    expect(service.headers.filter((headers) => headers['mcp-session-id'] === undefined)).toHaveLength(1);
  });
});

/** A server that greets rightly, and does something else with calls. */
async function hostile(
  onCall: (id: number, response: Parameters<RequestListener>[1]) => void,
  onNotice = (response: Parameters<RequestListener>[1]) => void response.writeHead(202).end(),
) {
  return startHttpServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request)) as { id?: number; method: string };
    if (id === undefined) return onNotice(response);
    if (method === 'tools/call') return onCall(id, response);
    const serverInfo = { name: 'hostile', version: '0' };
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

describe('what a service does wrong is a failure with that cause', () => {
  const stream = { 'content-type': 'text/event-stream' };
  const json = { 'content-type': 'application/json' };
  test.each<[string, Parameters<typeof hostile>[0], string, typeof hang?]>([
    ['an error', (_, response) => response.writeHead(500).end('a stack'), 'answered with HTTP status 500'],
    ['a refused key', (_, response) => response.writeHead(401).end(), 'answered with HTTP status 401'],
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'),
      'answered with what is not MCP',
    ],
    ['no JSON', (_, response) => response.writeHead(200, json).end('{'), 'answered with what is not MCP'],
    [
      'JSON of another kind',
      (_, response) => response.writeHead(200, json).end('{"a":1}'),
      'answered with what is not MCP',
    ],
    ['no answer', () => undefined, 'did not answer within 0.5 s', silence],
    [
      'a broken stream',
      (_, response) => {
        response.writeHead(200, stream).write(': hello\n\n', () => response.destroy());
      },
      'broke the connection off',
    ],
    [
      'an endless stream',
      (_, response) => {
        response.writeHead(200, stream);
        const more = () => {
          while (!response.destroyed && response.write(`data: ${'x'.repeat(1_000)}`));
          response.once('drain', more);
        };
        more();
      },
      'answered with more than 10000 bytes',
    ],
    [
      'too long an answer',
      (_, response) => response.writeHead(200, json).end(`"${'x'.repeat(20_000)}"`),
      'answered with more than 10000 bytes',
    ],
    ['a broken connection', (_, response) => response.destroy(), 'could not be asked: UND_ERR_SOCKET'],
    [
      'an error of the protocol',
      (id, response) => {
        response
          .writeHead(200, json)
          .end(
            JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no tool\nx\u001b[2J' } }),
          );
      },
      'refused the request: no tool x [2J',
    ],
  ])('%s', async (_title, onCall, problem, limits = hang) => {
    const service = await hostile(onCall);
    const server = serverAt(service.baseUrl, {}, 10_000, limits);
    const { message } = await failureIn(server.call('x', {}, never));
    expect(message).toBe(`the MCP server remote ${problem}`);
  });

  test('a greeting that is never taken note of', async () => {
    const silent = await hostile(
      () => undefined,
      () => undefined,
    );
    const server = serverAt(silent.baseUrl, {}, 10_000, { ...hang, startTimeoutMs: 500 });
    expect((await failureIn(server.call('x', {}, never))).message).toBe(
      'the MCP server remote did not begin to speak MCP within 0.5 s',
    );
  });

  test('nobody there', async () => {
    const service = await hostile(() => undefined);
    await service.close();
    const { message } = await failureIn(serverAt(service.baseUrl).call('x', {}, never));
    expect(message).toBe('the MCP server remote could not be asked: ECONNREFUSED');
  });

  test('a redirect to another origin, which gets no key', async () => {
    const other = await hostile(() => undefined);
    const service = await hostile((_, response) =>
      response.writeHead(307, { location: `${other.baseUrl}/` }).end(),
    );
    const server = serverAt(service.baseUrl, { authorization: 'Bearer sk-a-key-0123456789' });
    const { message } = await failureIn(server.call('x', {}, never));
    expect(message).toBe('the MCP server remote answered with HTTP status 307');
    expect(other.connections()).toBe(0);
  });
});
