import { onTestFinished } from 'vitest';
import type { RequestFacts, ToolEndpoint } from '../../../../tools/servers/createToolApp.ts';
import {
  startToolServer,
  type ToolServer,
  type ToolServerOptions,
} from '../../../../tools/servers/startToolServer.ts';

/** A server of a test's own, and what it logged. */
export interface ServedTool {
  readonly server: ToolServer;
  readonly logged: readonly RequestFacts[];
}

/** Serves an endpoint on a free port until the test ends. */
export async function serve(
  endpoint: ToolEndpoint,
  options: Partial<ToolServerOptions> = {},
): Promise<ServedTool> {
  const logged: RequestFacts[] = [];
  const server = await startToolServer(endpoint, {
    host: '127.0.0.1',
    port: 0,
    portOption: '--port',
    concurrency: 16,
    timeoutMs: 20_000,
    log: (facts) => void logged.push(facts),
    ...options,
  });
  onTestFinished(() => server.close(AbortSignal.abort()));
  return { server, logged };
}

/** An endpoint that answers `{"said": what came}`, after waiting for `until` where it is given. */
export function echo(until?: (signal: AbortSignal) => Promise<unknown>): ToolEndpoint {
  return {
    name: 'echo',
    path: '/echo',
    answer: async (body, signal) => {
      await until?.(signal);
      return { said: body };
    },
    refuse: (status, message) => ({ status, message }),
  };
}
