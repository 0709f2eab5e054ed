import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { openToolServers } from '../pipeline/compose/openToolServers.ts';
import { toolsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { loadToolsConfig } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { askedToolModels } from '../schemas/config/resolved/toolModels.ts';
import { type ServedToolName, servedToolNames } from '../schemas/config/tools/toolFacts.ts';
import type { ToolsConfig } from '../schemas/config/tools.ts';
import type { ToolServer } from '../tools/servers/startToolServer.ts';
import { isOpen, stopOnSignals, untilStopped } from './stopOnSignals.ts';

/** Environment variable with the client key; unset: open to everyone. */
const KEY_VARIABLE = 'COA_TOOLS_KEY';

export interface ServeToolsOptions {
  readonly config?: string;
  readonly host?: string;
  /** `NAME=PORT` per server. */
  readonly port?: readonly string[];
}

/**
 * Serves tools over HTTP until a signal arrives, then finishes running requests.
 *
 * @param names - Tools to serve; empty: all configured tools
 * @returns the exit code
 */
export async function serveTools(names: readonly string[], options: ServeToolsOptions): Promise<number> {
  const loaded = await loadToolsConfig(options.config);
  if (!loaded) throw new UserError('no coa.yaml in this folder; name a configuration with --config');
  const { config } = loaded;
  const wanted = wantedTools(names, config.tools);
  const { host = '127.0.0.1' } = options;
  // Node would listen on all interfaces.
  if (host === '') throw new UserError('--host: expected an address, got ""');
  const ports = portsOf(options.port);
  const apiKey = process.env[KEY_VARIABLE]?.trim() || undefined;
  await using session = createSession();
  const tools = toolsWithoutRun({ config, wanted }, session);
  // A model without its key would fail at the first request.
  for (const { part, sampling } of askedToolModels(config, wanted)) {
    if (sampling) await tools.models.chatModel(part);
  }
  using stop = stopOnSignals({ drains: () => true });
  const log = (line: string) => console.error(line);
  const servers = await openToolServers({ tools, host, ports, apiKey, log, cut: stop.signal }, session);
  announce(servers, host, apiKey !== undefined);
  return await untilStopped(stop.drain);
}

function wantedTools(names: readonly string[], tools: ToolsConfig): ReadonlySet<string> {
  const configured = servedToolNames.filter((name) => tools[name] !== undefined);
  const unknown = names.find((name) => !isServed(name));
  if (unknown !== undefined) {
    throw new UserError(`no server for "${unknown}"; ${suggestion(unknown, [...servedToolNames])}`);
  }
  const missing = names.find((name) => !configured.includes(name as ServedToolName));
  const there =
    configured.length > 0 ? `configured are ${configured.join(', ')}` : 'no tool that can be served is';
  if (missing !== undefined)
    throw new UserError(`${missing} is not configured (${there}); add tools.${missing}`);
  if (configured.length === 0) {
    throw new UserError(
      `nothing to serve: the configuration has none of ${servedToolNames.map((name) => `tools.${name}`).join(', ')}`,
    );
  }
  return new Set(names.length > 0 ? names : configured);
}

function portsOf(given: readonly string[] = []): Record<string, number> {
  const ports = given.map((text): [ServedToolName, number] => {
    const [, name = '', number = ''] = /^([^=]*)=(\d{1,5})$/.exec(text) ?? [];
    if (!isServed(name) || Number(number) > 65_535) {
      throw new UserError(
        `--port: expected one of ${servedToolNames.join(', ')} with a port from 0 to 65535, such as web_search=9001, got "${text}"`,
      );
    }
    return [name, Number(number)];
  });
  return Object.fromEntries(ports);
}

function isServed(name: string): name is ServedToolName {
  return (servedToolNames as readonly string[]).includes(name);
}

function announce(servers: readonly ToolServer[], host: string, asksKey: boolean): void {
  for (const { name, url } of servers) console.log(`${name.padEnd(12)} POST ${url}`);
  console.log('(Ctrl-C ends it)');
  if (asksKey || !servers.some(({ baseUrl }) => isOpen(baseUrl))) return;
  console.error(
    `warning: every client that reaches ${host} can use these servers; set ${KEY_VARIABLE} to require a key`,
  );
}
