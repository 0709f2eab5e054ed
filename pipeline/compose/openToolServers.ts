import type { Session } from '../../contract/session.ts';
import type { ServeConfig } from '../../schemas/config/tools/serve.ts';
import { type RequestFacts, requestLine } from '../../tools/servers/createToolApp.ts';
import { startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { type OpenToolsOptions, openServedTools } from './openTools.ts';

/** Which tools are served, and how. */
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
  const closeAll = () => Promise.all(servers.map((server) => server.close(serve.drain_s * 1000, cut)));
  session.resources.keep({ close: async () => void (await closeAll()) });
  const isLogged = ({ status }: RequestFacts) => serve.log === 'requests' || status >= 500;
  for (const endpoint of endpoints) {
    const server = await startToolServer(endpoint, {
      host: serve.host,
      port: serve.ports[endpoint.name as keyof ServeConfig['ports']],
      concurrency: serve.concurrency,
      maxBodyBytes: serve.max_body_bytes,
      timeoutMs: serve.timeout_s * 1000,
      receiveTimeoutMs: serve.receive_timeout_s * 1000,
      ...(apiKey !== undefined && { apiKey }),
      log: (facts) => {
        if (isLogged(facts)) log(requestLine(facts));
      },
    });
    servers.push(server);
  }
  return servers;
}
