import type { Session } from '../../contract/session.ts';
import { type ServedToolName, toolFacts } from '../../schemas/config/tools/toolFacts.ts';
import { requestLine } from '../../tools/servers/createToolApp.ts';
import { ANSWER_TIMEOUT_MS, startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { type OpenToolsOptions, openServedTools } from './openTools.ts';

interface OpenToolServersOptions {
  readonly tools: OpenToolsOptions;
  readonly host: string;
  /** By tool; default: that of `toolFacts`. 0 takes a free one. */
  readonly ports: Readonly<Record<string, number>>;
  /** What clients must send; undefined lets everybody in. */
  readonly apiKey: string | undefined;
  /** Given a line a request. */
  readonly log: (line: string) => void;
  /** Aborted when requests in flight may no longer end in peace. */
  readonly cut: AbortSignal;
}

/** Requests that one server works on at once; more get 503. */
const CONCURRENCY = 256;

/**
 * Starts the servers of the tools that are wanted. Closing the session's resources stops them, all at once.
 *
 * @throws UserError when a port can't be had
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
