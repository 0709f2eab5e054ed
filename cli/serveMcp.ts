import { once } from 'node:events';
import { packageVersion } from '../base/packageVersion.ts';
import { UserError } from '../base/userError.ts';
import type { Session } from '../contract/session.ts';
import type { Tool } from '../contract/tool.ts';
import { openToolsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { loadToolsConfig } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { configuredTags } from '../tools/toolTable.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface ServeMcpOptions {
  readonly config?: string;
  /** HTTP port in place of stdio; 0 picks a free one. */
  readonly port?: number;
}

/**
 * Serves the configured tools over the Model Context Protocol until the client disconnects or a signal arrives: over
 * stdio, or HTTP if a port is given. Returns the exit code.
 */
export async function serveMcp(options: ServeMcpOptions): Promise<number> {
  const loaded = await loadToolsConfig(options.config);
  if (!loaded) throw new UserError('no coa.yaml in this folder; name a configuration with --config');
  const { config } = loaded;
  const wanted = new Set(configuredTags(config.tools));
  if (wanted.size === 0)
    throw new UserError('the configuration has no tool to serve; add tools.code, or another');
  const log = (line: string) => console.error(line);
  using stop = stopOnSignals();
  await using session = createSession({ log });
  const tools = await openToolsWithoutRun({ config, wanted }, session);
  return await serve(tools, options.port, session, stop.signal);
}

async function serve(
  tools: ReadonlyMap<string, Tool>,
  port: number | undefined,
  { log, resources }: Session,
  stop: AbortSignal,
): Promise<number> {
  const { createToolServer } = await import('../tools/mcp/serveTools.ts');
  const create = () => createToolServer({ tools, version: packageVersion(), log });
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  if (port === undefined) {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const server = create();
    const disconnected = once(process.stdin, 'end');
    // Also ends if the client sends an oversized message.
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    await server.connect(new StdioServerTransport());
    resources.keep(server);
    await Promise.race([disconnected, closed, stopped]);
  } else {
    const { serveOverHttp } = await import('../tools/mcp/serveTools.ts');
    const server = resources.keep(await serveOverHttp(create, port));
    log(`serving ${[...tools.keys()].join(', ')} at ${server.url} (Ctrl-C ends it)`);
    await stopped;
  }
  return stop.aborted ? stop.reason.exitCode : 0;
}
