// An MCP server on stdio, made with the official SDK; started as a process of its own by tests. Its arguments:
// `--refuse-file PATH`: while that file is there, a call ends the process with status 7.
import { existsSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { addCatalogueTools } from './mcpCatalogueTools.ts';

const refuseFile = process.argv.includes('--refuse-file')
  ? process.argv[process.argv.indexOf('--refuse-file') + 1]
  : undefined;
const server = new McpServer({ name: 'catalogue', version: '1.0.0' });
addCatalogueTools(server, () => {
  if (refuseFile === undefined || !existsSync(refuseFile)) return;
  process.stderr.write('reading the catalogue\nthe disk with the catalogue is gone\n');
  process.exit(7);
});
server.registerTool('environment', { description: 'Says what it was started with.' }, () => ({
  content: [
    { type: 'text', text: JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid }) },
  ],
}));
server.registerTool('end', { inputSchema: { status: z.number() } }, ({ status }) => {
  process.stderr.write('ended as it was told to\n');
  process.exit(status);
});
await server.connect(new StdioServerTransport());
