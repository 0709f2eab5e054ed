import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { launcher, runCli, startCli } from '../../cli/support/runCli.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { hostilePage } from '../support/mcpCatalogueTools.ts';
import { programBeside } from '../support/mcpServers.ts';
import { type HttpServer, startHttpServer } from '../support/startHttpServer.ts';

const cwd = sharedFolder();
let service: HttpServer;

beforeAll(async () => {
  service = await startHttpServer(async (asked, response) => {
    const body = await text(asked);
    if (body.includes('broken')) response.writeHead(500).end('at secret.ts:12');
    else response.end(`asked for ${body}`);
  });
  const profile = {
    name: 'catalogue',
    extends: 'mhqa_double_check',
    tags: [
      { tag: 'look_up', kind: 'tool' },
      { tag: 'stock', kind: 'tool' },
    ],
    follows: {
      plan: ['look_up', 'stock', 'suggested_answer'],
      look_up: ['stock', 'reflection'],
      stock: ['reflection'],
    },
    think_before: ['plan', 'wiki_search', 'look_up', 'stock', 'reflection', 'suggested_answer'],
  };
  const config = {
    profiles: [profile],
    tools: {
      wiki_search: { corpus: 'passages.jsonl' },
      custom: { stock: { url: `${service.baseUrl}/stock`, description: 'Says what is in stock.' } },
      mcp: {
        servers: { shelf: { command: process.execPath, args: [programBeside('mcpCatalogue.ts')] } },
        tools: { look_up: { server: 'shelf', tool: 'get_product' } },
      },
    },
  };
  writeFileSync(join(cwd, 'coa.yaml'), stringify(config));
  writeFileSync(join(cwd, 'passages.jsonl'), `${JSON.stringify({ id: '1', contents: '"Lamp"\nA lamp.' })}\n`);
});
afterAll(() => service.close());

/** Until an answer comes: the client's own patience is a minute. */
const patience = { timeout: 250_000 };

async function clientOf(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport, patience);
  onTestFinished(() => client.close());
  return client;
}

const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'serve', 'mcp'],
    cwd,
    stderr: 'pipe',
  });

/** The command over HTTP, and its address. */
async function overHttp() {
  const child = startCli(['serve', 'mcp', '--config', 'coa.yaml', '--port', '0'], { cwd });
  const ended = once(child, 'close');
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [, url] = await waitUntil('the address', () => / at (\S+) \(Ctrl-C/.exec(stderr), { child });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { url: url!, child, ended };
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
  (result.content as [{ text: string }])[0].text;

describe.each(['stdio', 'http'])("the SDK's client over %s", (how) => {
  const connect = async () =>
    clientOf(
      how === 'stdio'
        ? (overStdio() as Transport)
        : (new StreamableHTTPClientTransport(new URL((await overHttp()).url)) as Transport),
    );

  test('is offered the configured tools, and their failures as results', async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'coa-distill' });
    const { tools } = await client.listTools(undefined, patience);
    expect(tools.map(({ name }) => name).sort()).toEqual(['look_up', 'stock', 'wiki_search']);
    expect(tools.find(({ name }) => name === 'stock')).toMatchObject({
      description: 'Says what is in stock.',
      inputSchema: { type: 'object', required: ['query'] },
    });
    const call = (name: string, input: Record<string, unknown>) =>
      client.callTool({ name, arguments: input }, undefined, patience);
    expect(textOf(await call('stock', { query: 'lamp' }))).toBe('asked for {"query":"lamp"}');
    expect(textOf(await call('look_up', { query: 'lamp' }))).toBe(hostilePage);
    expect(textOf(await call('wiki_search', { query: 'lamp' }))).toContain('A lamp.');
    const refused = await call('stock', { question: 'lamp' });
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toMatch(/^the input can't be used: .*query/);
    const failed = await call('stock', { query: 'broken' });
    expect(failed).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'the call failed: stock: the service answered with HTTP status 500' }],
    });
    await expect(call('no_such_tool', {})).rejects.toThrow(/there is no tool no_such_tool; there are/);
  });
});

test('standard output holds messages alone, and the end of the input ends the command', async () => {
  const child = startCli(['serve', 'mcp'], { cwd });
  const ended = once(child, 'close');
  const stdout = text(child.stdout!);
  const clientInfo = { name: 'x', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  child.stdin!.write(`no json\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(child.stdout!, 'data');
  child.stdin!.end();
  expect(await ended).toEqual([0, null]);
  const lines = (await stdout).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1]);
});

test('a port that is taken is told in one line', async () => {
  const { port } = new URL(service.baseUrl);
  const { code, stderr } = await runCli(['serve', 'mcp', '--port', port], { cwd });
  expect(stderr).toContain(
    `error: MCP can't be served on 127.0.0.1, port ${port}: something else listens there; choose another with --port`,
  );
  expect(code).toBe(2);
});

describe('over HTTP, nobody else may call', () => {
  const ask = (url: string, headers: Record<string, string>, method = 'POST', path = '/mcp') =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { port } = new URL(url);
      const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const asked = request(
        { host: '127.0.0.1', port, path, method, headers: { ...type, ...headers } },
        async (response) => resolve({ status: response.statusCode!, body: await text(response) }),
      );
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      // Node gives the body of another method no length: the server would take it for a second request.
      asked.on('error', reject).end(method === 'POST' ? call : undefined);
    });

  test('pages of anywhere, names that were bound to this machine, other methods and paths', async () => {
    const { url, child, ended } = await overHttp();
    expect(await ask(url, {})).toMatchObject({ status: 200 });
    const refusals: [Parameters<typeof ask>, number, RegExp][] = [
      [[url, { host: 'rebound.example' }], 403, /Host header that names the loopback/],
      [[url, { origin: 'https://evil.example' }], 403, /web pages may not call tools/],
      [[url, { origin: 'null' }], 403, /web pages may not call tools/],
      [[url, {}, 'GET'], 405, /expected POST/],
      [[url, {}, 'DELETE'], 405, /expected POST/],
      [[url, {}, 'POST', '/'], 404, /MCP is at \/mcp/],
    ];
    for (const [asked, status, message] of refusals) {
      const answer = await ask(...asked);
      expect(answer.status, JSON.stringify(asked.slice(1))).toBe(status);
      expect(answer.body).toMatch(message);
      expect(answer.body).not.toMatch(/\.ts:\d/);
    }
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });
});
