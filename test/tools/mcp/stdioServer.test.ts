import { describe, expect, test } from 'vitest';
import { childLink } from '../../../tools/mcp/childLink.ts';
import { createMcpTool } from '../../../tools/mcp/createMcpTool.ts';
import { McpServer } from '../../../tools/mcp/mcpServer.ts';
import { tameDefinition } from '../../../tools/mcp/tameDefinition.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { hostilePage } from '../support/mcpCatalogueTools.ts';
import { failureIn, never, serverOf } from '../support/mcpServers.ts';

async function environmentOf(server: ReturnType<typeof serverOf>) {
  const { content } = await server.call('environment', {}, never);
  return JSON.parse((content[0] as { text: string }).text) as {
    env: Record<string, string>;
    cwd: string;
    pid: number;
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  await waitUntil(`the end of ${pid}`, () => !isThere(pid));
}

describe('a server made with the SDK', () => {
  test('offers its tools, and a call of one is an observation', async () => {
    const server = serverOf('mcpCatalogue.ts');
    const offered = await server.list(never, new Set(['get_product', 'no_such_tool']));
    expect(offered.map(({ name }) => name)).toEqual(['get_product']);
    const definition = tameDefinition('look_up', offered[0]!);
    expect(definition).toMatchObject({
      name: 'look_up',
      description: 'Looks a product up by its name.',
      parameters: { type: 'object', required: ['query'] },
    });
    const tool = createMcpTool({ definition, server, tool: 'get_product', maxChars: 1_000 });
    expect(tool.parseInput({ query: 'lamp' })).toEqual({ ok: true, input: { query: 'lamp' } });
    expect(tool.parseInput({})).toMatchObject({ ok: false, error: expect.stringContaining("'query'") });
    expect(await tool.call({ query: 'lamp' }, never)).toEqual({
      observation: hostilePage,
      raw: { content: [{ type: 'text', text: hostilePage }] },
    });
  });

  test('says itself what the agent did wrong', async () => {
    const server = serverOf('mcpCatalogue.ts');
    const parameters = { type: 'object' };
    const definition = { name: 'look_up', description: 'd', parameters };
    const tool = createMcpTool({ definition, server, tool: 'get_product', maxChars: 1_000 });
    const { observation, raw } = await tool.call({ query: 'table' }, never);
    expect(observation).toBe('there is no product table');
    expect(raw).toMatchObject({ isError: true });
  });

  test('gets nothing of our environment but what it was given', async () => {
    process.env.A_KEY_OF_OURS = 'sk-not-for-servers';
    const server = serverOf('mcpCatalogue.ts', [], { env: { CATALOGUE_TOKEN: 'token-of-its-own-1' } });
    const { env } = await environmentOf(server);
    delete process.env.A_KEY_OF_OURS;
    expect(Object.keys(env).sort()).toEqual(['CATALOGUE_TOKEN', 'PATH']);
  });

  test('can repeat what it was given, and that goes no further', async () => {
    const secret = 'token-of-its-own-0123456789';
    const server = serverOf('mcpCatalogue.ts', [], { env: { CATALOGUE_TOKEN: secret }, secrets: [secret] });
    const { env } = await environmentOf(server);
    expect(env.CATALOGUE_TOKEN).toBe('[key]');
  });
});

describe('a server that ends', () => {
  test('fails the call with its status and its last words, and is started again for the next', async () => {
    const server = serverOf('mcpCatalogue.ts', [], { maxRestarts: 1 });
    const failure = await failureIn(server.call('end', { status: 7 }, never));
    expect(failure).toEqual({
      cause: 'tool_unavailable',
      message: 'the MCP server catalogue ended with status 7: ended as it was told to',
      retryable: true,
      evidence: { server: 'catalogue' },
    });
    const { pid } = await environmentOf(server);
    expect(pid).toBeGreaterThan(0);
    await failureIn(server.call('end', { status: 8 }, never));
    const { message } = await failureIn(server.call('environment', {}, never));
    expect(message).toBe(
      'the MCP server catalogue ended with status 8: ended as it was told to; it was started again 1 times, and is not once more',
    );
  });

  test('fails every call that is under way, and none of them is sent again', async () => {
    const server = serverOf('hostileMcp.ts', ['count-then-die'], { maxRestarts: 5 });
    const failures = await Promise.all(
      Array.from({ length: 3 }, () => failureIn(server.call('any', {}, never))),
    );
    for (const { message } of failures) expect(message).toMatch(/ended with status 9: 3 calls/);
  });

  test('by a signal is told so', async () => {
    const server = serverOf('mcpCatalogue.ts');
    const { pid } = await environmentOf(server);
    const waiting = serverOf('hostileMcp.ts', ['kill-itself']);
    const { message } = await failureIn(waiting.call('any', {}, never));
    expect(message).toBe('the MCP server catalogue was ended by SIGKILL');
    expect(isThere(pid)).toBe(true);
  });
});

test('a program that is not there is named', async () => {
  const program = { command: '/no/such/program', args: [], cwd: '/', env: {} };
  const server = new McpServer({
    name: 'gone',
    link: () => childLink(program, 1_000),
    timeoutMs: 60_000,
    startTimeoutMs: 60_000,
    concurrency: 1,
    maxRestarts: 0,
    secrets: [],
  });
  const { message } = await failureIn(server.call('x', {}, never));
  expect(message).toBe("the MCP server gone can't be started (ENOENT)");
});

describe('nothing of a server outlives', () => {
  test('its close: it, and what it has started, have ended', async () => {
    const server = serverOf('hostileMcp.ts', ['with-child']);
    const { content } = await server.call('any', {}, never);
    const pids = JSON.parse((content[0] as { text: string }).text) as number[];
    expect(pids).toHaveLength(2);
    expect(pids.every(isThere)).toBe(true);
    await server.close();
    await Promise.all(pids.map(untilGone));
  });
});
