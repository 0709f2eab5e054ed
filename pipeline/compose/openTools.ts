import { once } from '../../base/once.ts';
import { UserError } from '../../base/userError.ts';
import { createServiceCaller } from '../../calls/limits/createServiceCaller.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool, ToolModels } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { ToolsConfig } from '../../schemas/config/tools.ts';
import type { ToolEndpoint } from '../../tools/servers/createToolApp.ts';
import type { OpenedSite, ToolContext } from '../../tools/toolRow.ts';
import { wantedRows } from '../../tools/toolTable.ts';
import { RunError } from '../run/runError.ts';

export interface OpenToolsOptions {
  readonly config: Pick<Config, 'tools'>;
  readonly wanted: ReadonlySet<string>;
  /** Folder for search indexes; they can be rebuilt. */
  readonly cacheFolder: string;
  /** Required if `code` is wanted. */
  readonly sandbox: Sandbox | undefined;
  /** As in {@link ToolContext}; default: each server is asked. */
  readonly keepDefinition?: ToolContext['keepDefinition'];
  readonly models: ToolModels;
}

/**
 * Opens tools by name, with the servers and indexes behind them.
 *
 * @throws UserError for a wrong configuration, RunError if a server does not answer
 */
export async function openTools(
  options: OpenToolsOptions,
  session: Session,
): Promise<ReadonlyMap<string, Tool>> {
  const context = toolContext(options, session);
  const tools = new Map<string, Tool>();
  for (const { row, tags } of wantedRows(context.tools, options.wanted)) {
    const opened = await row.open(tags, context).catch((error) => {
      throw error instanceof RecordFailure ? notOpened(error) : error;
    });
    for (const tool of opened) tools.set(tool.name, tool);
  }
  return tools;
}

/** Opens the endpoints of wanted and configured tools that have a protocol of their own. */
export async function openServedTools(options: OpenToolsOptions, session: Session): Promise<ToolEndpoint[]> {
  const context = toolContext(options, session);
  const endpoints: ToolEndpoint[] = [];
  for (const { row } of wantedRows(context.tools, options.wanted)) {
    if (row.serve) endpoints.push(await row.serve(context));
  }
  return endpoints;
}

export function toolContext(options: OpenToolsOptions, session: Session): ToolContext {
  const { config, keepDefinition } = options;
  const { clock, calls: meter } = session;
  return {
    ...session,
    ...options,
    tools: config.tools,
    openSite: once(() => openSite(config.tools, session)),
    openTokenizer: async (name) => {
      const { loadTokenizer } = await import('../../output/tokenizers/loadTokenizer.ts');
      return session.resources.keep(await loadTokenizer(name));
    },
    createServiceCaller: (limits) => createServiceCaller({ ...limits, clock, meter }),
    keepDefinition: keepDefinition ?? ((_tag, ask) => ask()),
  };
}

async function openSite({ site }: ToolsConfig, { resources, log }: Session): Promise<OpenedSite | undefined> {
  if (!site) return undefined;
  const { startSiteServer } = await import('../../tools/site/startSiteServer.ts');
  const server = resources.keep(await startSiteServer({ folder: site.folder, host: site.host, log }));
  return { host: site.host, server };
}

/** One-line error that ends a run because a tool does not work. */
export function notOpened(error: RecordFailure): Error {
  if (error.failure.cause === 'not_cached') return new UserError(error.message, { cause: error });
  const message = `${error.message}; fix that (coa-distill doctor tries it), then run again`;
  return new RunError(message, { cause: error });
}
