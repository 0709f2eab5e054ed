import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as OfferedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { RecordFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';

export interface ToolServerOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Version of this package. */
  readonly version: string;
  /** Told of each call that went wrong, one line; never on standard output, which is the client's. */
  readonly log: (line: string) => void;
}

/**
 * Creates an MCP server that offers tools as agents of a run have them: the same names, schemas and texts. What the
 * caller did wrong and what a tool's service did wrong are results that say so (`isError`), as MCP asks for; an unknown
 * tool is an error of the protocol.
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
    // What is no failure of the service is a fault of ours: the caller can do nothing about its details.
    const why = error instanceof RecordFailure ? error.message : 'a fault in coa-distill; its log says more';
    return { isError: true, text: `the call failed: ${why}` };
  }
}
