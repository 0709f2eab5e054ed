import type { Session } from '../../contract/session.ts';
import type { RlServeConfig } from '../../schemas/config/rl.ts';
import { type RequestFacts, requestLine } from '../../tools/servers/requestLog.ts';
import { startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { environmentEndpoint } from './environmentEndpoint.ts';
import type { OpenedEnvironment } from './openEnvironment.ts';
import { ServerCounts } from './serverCounts.ts';

/** Where an environment is served. */
interface ServeOptions {
  readonly serve: RlServeConfig;
  /** What clients must send; undefined lets everybody in. */
  readonly token: string | undefined;
  /** Aborted when requests in flight may no longer end in peace. */
  readonly cut: AbortSignal;
}

/** Serves an environment until the session ends. Throws `UserError` when the address can't be had. */
export async function serveEnvironment(
  environment: OpenedEnvironment,
  { serve, token, cut }: ServeOptions,
  { clock, log, resources }: Session,
): Promise<ToolServer> {
  const counts = new ServerCounts(new Date(clock.now()).toISOString());
  const isLogged = ({ status }: RequestFacts) => serve.log === 'requests' || status >= 500;
  const server = await startToolServer(environmentEndpoint(environment, counts), {
    host: serve.host,
    port: serve.port,
    settings: { port: '--port or rl.serve.port', host: '--host or rl.serve.host' },
    concurrency: serve.max_in_flight,
    maxBodyBytes: serve.max_body_bytes,
    timeoutMs: serve.timeout_s * 1000,
    receiveTimeoutMs: serve.receive_timeout_s * 1000,
    ...(token !== undefined && { apiKey: token }),
    log: (facts) => {
      if (isLogged(facts)) log(requestLine(facts));
    },
  });
  resources.keep({ close: () => server.close(serve.drain_s * 1000, cut) });
  return server;
}
