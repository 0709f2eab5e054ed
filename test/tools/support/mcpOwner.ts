// A process that starts an MCP server, prints the ids of its processes and waits to be killed.
import { childLink } from '../../../tools/mcp/childLink.ts';
import { McpServer } from '../../../tools/mcp/mcpServer.ts';

const hostile = new URL('hostileMcp.ts', import.meta.url).pathname;
const program = { command: process.execPath, args: [hostile, 'with-child'], cwd: '/', env: {} };
const server = new McpServer({
  name: 'owned',
  link: () => childLink(program, 100_000),
  timeoutMs: 120_000,
  startTimeoutMs: 120_000,
  concurrency: 1,
  maxRestarts: 0,
  secrets: [],
});
const { content } = await server.call('any', {}, new AbortController().signal);
process.stdout.write(`${(content[0] as { text: string }).text}\n`);
setInterval(() => {}, 1_000);
