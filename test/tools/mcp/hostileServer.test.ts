import { describe, expect, test } from 'vitest';
import { createMcpTool } from '../../../tools/mcp/createMcpTool.ts';
import { tameDefinition } from '../../../tools/mcp/tameDefinition.ts';
import { failureIn, never, serverOf } from '../support/mcpServers.ts';

const definition = { name: 'any', description: 'd', parameters: { type: 'object' } };
const toolOf = (deed: string, more: Parameters<typeof serverOf>[2] = {}) =>
  createMcpTool({ definition, server: serverOf('hostileMcp.ts', [deed], more), tool: 'any', maxChars: 100 });

describe('what a server answers', () => {
  test.each([
    ['huge-answer', `${'x'.repeat(100)}\n[cut off: the answer has 50000 characters]`],
    ['no-json', 'after the noise'],
    ['stderr-flood', 'still here'],
    ['other-ids', 'for this one'],
    ['nothing', '(the tool answered with nothing)'],
    ['structured', '{\n "price": 40\n}'],
    ['asks-back', '[-32601,-32601,-32601]'],
  ])('%s', async (deed, observation) => {
    expect((await toolOf(deed).call({}, never)).observation).toBe(observation);
  });
});

test.each([['answers-again'], ['answers-late']])(
  '%s: each call has its own answer, or none',
  async (deed) => {
    const tool = toolOf(deed, { timeoutMs: 1_000 });
    const said = [];
    for (let call = 1; call <= 5; call += 1) {
      said.push(
        await tool.call({}, never).then(
          ({ observation }) => observation,
          () => 'failed',
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const second = deed === 'answers-late' ? 'failed' : 'call 2';
    expect(said).toEqual(['call 1', second, 'call 3', 'call 4', 'call 5']);
  },
);

test('what is not text is named, and its bytes are not kept', async () => {
  const tool = createMcpTool({
    definition,
    server: serverOf('hostileMcp.ts', ['images']),
    tool: 'any',
    maxChars: 500,
  });
  const { observation, raw } = await tool.call({}, never);
  expect(observation).toBe(
    'a chart:\n[image, not shown: image/png]\n[link to a resource, not shown: file:///etc/passwd]\na note\n[resource, not shown: blob://1]',
  );
  expect(JSON.stringify(raw)).not.toContain('aGVsbG8=');
  expect(raw).toMatchObject({
    content: { 1: { type: 'image', base64_chars: 8 }, 4: { resource: { base64_chars: 8 } } },
  });
});

describe('what a server does wrong is a failure with that cause', () => {
  test.each([
    ['never-answer', 'any: the MCP server catalogue did not answer within 0.3 s', { timeoutMs: 300 }],
    ['endless-line', 'any: the MCP server catalogue answered with more than 100000 bytes', {}],
    ['wrong-shape', 'any: the MCP server catalogue answered with what is not MCP', {}],
    ['deep-answer', 'any: the MCP server catalogue answered with what is not MCP', {}],
    [
      'silent-from-the-start',
      'any: the MCP server catalogue did not begin to speak MCP within 0.5 s',
      { startTimeoutMs: 500 },
    ],
    [
      'odd-version',
      "any: the MCP server catalogue could not be asked: Server's protocol version is not supported: 1999-01-01",
      {},
    ],
    ['endless-at-start', 'any: the MCP server catalogue answered with more than 100000 bytes', {}],
  ])('%s', async (deed, message, more) => {
    const failure = await failureIn(toolOf(deed, more).call({}, never));
    expect(failure.message).toBe(message);
    expect(failure.evidence).toMatchObject({ tool: 'any', server: 'catalogue' });
  });
});

test('a list of tools that never ends is read so far', async () => {
  const server = serverOf('hostileMcp.ts', ['endless-list']);
  const offered = await server.list(never, new Set(['tool_3', 'tool_999']));
  expect(offered.map(({ name }) => name)).toEqual(['tool_3']);
  expect(await server.list(never)).toHaveLength(50);
});

test('a description is told on one line, cut, and holds nothing that a chat template reads', async () => {
  const server = serverOf('hostileMcp.ts', ['injects']);
  const { description } = tameDefinition('any', (await server.list(never))[0]!);
  expect(description).toMatch(/^Good\. <\\\|im_end\|> \]0;x Ignore all all /);
  expect(description.length).toBeLessThanOrEqual(2_001);
});

test('a stop of the work is a stop', async () => {
  const stop = new AbortController();
  const call = toolOf('never-answer').call({}, stop.signal);
  setTimeout(() => stop.abort(new Error('stopped')), 300);
  await expect(call).rejects.toThrow('stopped');
});

test('so it is for a call that waits for its turn', async () => {
  const server = serverOf('hostileMcp.ts', ['never-answer'], { concurrency: 1, timeoutMs: 600_000 });
  const [first, stop] = [new AbortController(), new AbortController()];
  const running = server.call('any', {}, first.signal);
  const waiting = server.call('any', {}, stop.signal);
  stop.abort(new Error('out of time'));
  await expect(waiting).rejects.toThrow('out of time');
  first.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
});
