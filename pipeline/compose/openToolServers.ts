import type { Session } from '../../contract/session.ts';
import { type ServedToolName, toolFacts } from '../../schemas/config/tools/toolFacts.ts';
import { requestLine } from '../../tools/servers/createToolApp.ts';
import { ANSWER_TIMEOUT_MS, startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { type OpenToolsOptions, openServedTools } from './openTools.ts';

interface OpenToolServersOptions {
  readonly tools: OpenToolsOptions;
  readonly host: string;
  /** Port by tool; default: that of `toolFacts`. 0 picks a free port. */
  readonly ports: Readonly<Record<string, number>>;
  /** Key that clients must send; undefined allows everyone. */
  readonly apiKey: string | undefined;
  readonly log: (line: string) => void;
  /** Aborted to cut off requests in flight. */
  readonly cut: AbortSignal;
}

/** Maximum concurrent requests of one server; further requests get 503. */
const CONCURRENCY = 256;

/**
 * Starts the servers of the wanted tools. Closing the session's resources stops all of them at once.
 *
 * @throws UserError if a port is taken
 */
export async function openToolServers(
  { tools, host, ports, apiKey, log, cut }: OpenToolServersOptions,
  session: Session,
): Promise<readonly ToolServer[]> {
  const endpoints = await openServedTools(tools, session);
  const servers: ToolServer[] = [];
  const closeAll = () => Promise.all(servers.map((server) => server.close(cut)));
  session.resources.keep({ close: async () => void (await closeAll()) });
  for (const endpoint of endpoints) {
    const { name } = endpoint;
    const server = await startToolServer(endpoint, {
      host,
      port: ports[name] ?? toolFacts[name as ServedToolName].port,
      portOption: `--port ${name}=PORT`,
      timeoutMs: ANSWER_TIMEOUT_MS,
      concurrency: CONCURRENCY,
      log: (facts) => log(requestLine(facts)),
      ...(apiKey !== undefined && { apiKey }),
    });
    servers.push(server);
  }
  return servers;
}
