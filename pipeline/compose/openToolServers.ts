import type { Session } from '../../contract/session.ts';
import type { ServeConfig } from '../../schemas/config/tools/serve.ts';
import { serverOptions, startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { type OpenToolsOptions, openServedTools } from './openTools.ts';

interface OpenToolServersOptions {
  readonly tools: OpenToolsOptions;
  readonly serve: ServeConfig;
  /** What clients must send; undefined lets everybody in. */
  readonly apiKey: string | undefined;
  /** Given a line a request. */
  readonly log: (line: string) => void;
  /** Aborted when requests in flight may no longer end in peace. */
  readonly cut: AbortSignal;
}

/**
 * Starts the servers of the tools that are wanted. Closing the session's resources stops them, all at once.
 *
 * @throws UserError when a port can't be had
 */
export async function openToolServers(
  { tools, serve, apiKey, log, cut }: OpenToolServersOptions,
  session: Session,
): Promise<readonly ToolServer[]> {
  const endpoints = await openServedTools(tools, serve, session);
  const servers: ToolServer[] = [];
  const closeAll = () => Promise.all(servers.map((server) => server.close(cut)));
  session.resources.keep({ close: async () => void (await closeAll()) });
  for (const endpoint of endpoints) {
    const server = await startToolServer(endpoint, {
      ...serverOptions(serve, log),
      port: serve.ports[endpoint.name as keyof ServeConfig['ports']],
      concurrency: serve.concurrency,
      ...(apiKey !== undefined && { apiKey }),
    });
    servers.push(server);
  }
  return servers;
}
