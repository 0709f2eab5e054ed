import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import { plainEnvironment } from '../../base/programs/plainEnvironment.ts';
import { UserError } from '../../base/userError.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { McpConfig, McpServerConfig, McpToolConfig } from '../../schemas/config/tools/mcp.ts';
import type { ToolContext, ToolRow } from '../toolRow.ts';
import type { McpServer } from './mcpServer.ts';

/** Maximum bytes of an answer; more is a failure. */
const MAX_BYTES = 1_000_000;
/** Maximum restarts of an ended program per run. */
const MAX_RESTARTS = 3;

/**
 * Tools of MCP servers. Servers are started and asked for their tools, unless offline: then the stored definitions
 * are used.
 */
export const mcpRow: ToolRow = {
  tagsOf: ({ mcp }) => Object.keys(mcp?.tools ?? {}),
  providerOf: ({ mcp }, tag) => {
    const { url } = serverOf(mcp!, tag);
    return url === undefined ? 'local' : addressWithoutSecrets(url);
  },
  seesSite: false,
  checkEnvironment: ({ mcp }, tag, env) => {
    mcpEnvironment(mcp!.tools[tag]!.server, serverOf(mcp!, tag), env);
  },
  fingerprint: ({ mcp }) => (mcp ? { mcp: fingerprintByTag(mcp) } : {}),
  tokenizerOf: () => undefined,
  async open(tags, context) {
    const { mcp } = context.tools;
    const names = new Set(tags.map((tag) => mcp!.tools[tag]!.server));
    const opened = await Promise.all([...names].map((name) => openToolsOf(name, tags, mcp!, context)));
    const tools = new Map(opened.flat().map((tool) => [tool.name, tool]));
    return tags.map((tag) => tools.get(tag)!);
  },
};

/** Tool and program by tag. The address of a service does not count. */
function fingerprintByTag({ servers, tools }: McpConfig) {
  const fingerprint = Object.entries(tools).map(([tag, tool]) => {
    const { command, args } = servers[tool.server]!;
    return [tag, { ...tool, ...(command !== undefined && { command, args }) }];
  });
  return Object.fromEntries(fingerprint);
}

function serverOf({ servers, tools }: McpConfig, tag: string): McpServerConfig {
  return servers[tools[tag]!.server]!;
}

/**
 * Creates a server of `tools.mcp.servers`, which starts on first use; the caller closes it.
 * @throws UserError when a variable that it is to be given is not set
 */
export async function openMcpServer(
  name: string,
  config: McpServerConfig,
  env: NodeJS.ProcessEnv,
): Promise<McpServer> {
  const { command, args, cwd = '.', url } = config;
  const { variables, headers, secrets } = mcpEnvironment(name, config, env);
  const { McpServer } = await import('./mcpServer.ts');
  const { childLink } = await import('./childLink.ts');
  const { httpLink } = await import('./httpLink.ts');
  return new McpServer({
    name,
    link: () =>
      url === undefined
        ? childLink({ command: command!, args, cwd, env: variables }, MAX_BYTES)
        : httpLink({ url, headers }, MAX_BYTES),
    timeoutMs: config.timeout_s * 1000,
    startTimeoutMs: config.timeout_s * 1000,
    concurrency: config.concurrency,
    // A connection to a service costs one request; the service itself was started once.
    maxRestarts: url === undefined ? MAX_RESTARTS : Number.POSITIVE_INFINITY,
    secrets,
  });
}

async function openToolsOf(
  name: string,
  tags: readonly string[],
  mcp: McpConfig,
  context: ToolContext,
): Promise<Tool[]> {
  const { env, offline, resources } = context;
  const server = mcp.servers[name]!;
  // Values are not needed without calls.
  const given = offline ? { ...server, env: [], api_key_env: '', headers_env: {} } : server;
  const opened = resources.keep(await openMcpServer(name, given, env));
  const own = tags.filter((tag) => mcp.tools[tag]!.server === name);
  try {
    const offered = offline ? undefined : await offeredBy(opened, own, name, mcp);
    return await Promise.all(own.map((tag) => openTool(tag, mcp, opened, offered, context)));
  } catch (error) {
    if (!(error instanceof RecordFailure) || error.failure.cause === 'not_cached') throw error;
    const { cause, message, evidence } = error.failure;
    throw new RecordFailure(cause, `tools.mcp.servers.${name}: ${message}`, evidence, { cause: error });
  }
}

type Offered = ReadonlyMap<string, Awaited<ReturnType<McpServer['list']>>[number]>;

/** Server definitions of the configured tools. */
async function offeredBy(
  server: McpServer,
  tags: readonly string[],
  name: string,
  { tools }: McpConfig,
): Promise<Offered> {
  const wanted = new Map(tags.map((tag) => [toolOf(tag, tools[tag]!), tag]));
  const listed = await server.list(new AbortController().signal, new Set(wanted.keys()));
  const offered = new Map(listed.map((tool) => [tool.name, tool]));
  for (const [tool, tag] of wanted) {
    if (offered.has(tool)) continue;
    throw new UserError(
      `tools.mcp.tools.${tag}.tool: the MCP server ${name} offers no tool ${tool}; coa-distill doctor lists what it offers`,
    );
  }
  return offered;
}

function toolOf(tag: string, { tool = tag }: McpToolConfig): string {
  return tool;
}

async function openTool(
  tag: string,
  mcp: McpConfig,
  server: McpServer,
  offered: Offered | undefined,
  { keepDefinition }: ToolContext,
): Promise<Tool> {
  const { createMcpTool } = await import('./createMcpTool.ts');
  const { tameDefinition } = await import('./tameDefinition.ts');
  const config = mcp.tools[tag]!;
  const tool = toolOf(tag, config);
  try {
    const ask = async (): Promise<ToolDefinition> =>
      tameDefinition(tag, offered!.get(tool)!, config.description);
    const definition = await keepDefinition(tag, ask);
    return createMcpTool({ definition, server, tool, maxChars: config.max_chars });
  } catch (error) {
    if (error instanceof RecordFailure || error instanceof UserError) throw error;
    throw new UserError(
      `tools.mcp.tools.${tag}: the tool ${tool} of ${config.server} can't be used: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Values given to a server, by name. */
interface McpEnvironment {
  /** Complete environment of a server with `command`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Request headers of a server with `url`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values among them that come from the configuration. */
  readonly secrets: readonly string[];
}

/**
 * Collects the values for a server of `tools.mcp.servers`.
 * @throws UserError for a variable that is not set, or holds what can't be sent as a header
 */
export function mcpEnvironment(
  name: string,
  { env: named, api_key_env = '', headers_env }: McpServerConfig,
  env: NodeJS.ProcessEnv,
): McpEnvironment {
  const valueIn = (variable: string, key: string): string => {
    const value = env[variable]?.trim();
    if (value) return value;
    throw new UserError(
      `tools.mcp.servers.${name}.${key}: the environment variable ${variable} is not set; set it (or put it into .env beside the configuration), or take it out of the configuration`,
    );
  };
  const headerIn = (variable: string, key: string): string => {
    const value = valueIn(variable, key);
    if (/^[\x20-\x7e]*$/.test(value)) return value;
    throw new UserError(
      `tools.mcp.servers.${name}.${key}: the environment variable ${variable} holds what no HTTP header can; expected ASCII characters on one line`,
    );
  };
  const own = named.map((variable) => [variable, valueIn(variable, 'env')] as const);
  const headers = Object.entries(headers_env).map(
    ([header, variable]) => [header, headerIn(variable, 'headers_env')] as const,
  );
  const key = api_key_env === '' ? undefined : headerIn(api_key_env, 'api_key_env');
  return {
    variables: { ...plainEnvironment(env), ...Object.fromEntries(own) },
    headers: { ...Object.fromEntries(headers), ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    secrets: [...own, ...headers].map(([, value]) => value).concat(key ?? []),
  };
}
