import type { McpServerConfig } from '../../../schemas/config/tools/mcp.ts';
import type { McpServer } from '../../../tools/mcp/mcpServer.ts';
import { mcpEnvironment } from '../../config/mcpEnvironment.ts';

/**
 * A server of `tools.mcp.servers`, which starts when it is first asked; whoever opened it closes it.
 *
 * @throws UserError when a variable that it is to be given is not set
 */
export async function openMcpServer(
  name: string,
  config: McpServerConfig,
  env: NodeJS.ProcessEnv,
): Promise<McpServer> {
  const { command, args, cwd = '.', url, max_bytes } = config;
  const { variables, headers, secrets } = mcpEnvironment(name, config, env);
  const { McpServer } = await import('../../../tools/mcp/mcpServer.ts');
  const { childLink } = await import('../../../tools/mcp/childLink.ts');
  const { httpLink } = await import('../../../tools/mcp/httpLink.ts');
  return new McpServer({
    name,
    link: () =>
      url === undefined
        ? childLink({ command: command!, args, cwd, env: variables }, max_bytes)
        : httpLink({ url, headers }, max_bytes),
    timeoutMs: config.timeout_s * 1000,
    startTimeoutMs: config.start_timeout_s * 1000,
    concurrency: config.concurrency,
    // A connection to a service costs a request; it is the service that was started, once.
    maxRestarts: url === undefined ? config.max_restarts : Number.POSITIVE_INFINITY,
    secrets,
  });
}
