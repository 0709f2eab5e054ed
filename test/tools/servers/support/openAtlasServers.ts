import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openToolServers } from '../../../../pipeline/compose/openToolServers.ts';
import { toolModelsWithoutRun } from '../../../../pipeline/compose/toolsWithoutRun.ts';
import { createSession } from '../../../../pipeline/createSession.ts';
import { teacherConfigSchema } from '../../../../schemas/config/teacher.ts';
import { toolsConfigSchema } from '../../../../schemas/config/tools.ts';
import type { ToolServer } from '../../../../tools/servers/startToolServer.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

/** The bundled world. */
export const atlas = fileURLToPath(new URL('../../../../examples/atlas/', import.meta.url));

/** The three servers. */
export type AtlasServers = Readonly<Record<'web_search' | 'crawl_page' | 'wiki_search', ToolServer>>;

/**
 * Serves the bundled atlas with everything that `coa-distill serve tools` opens, on free ports until the test ends.
 *
 * @param sections - Members of the `tools` section beside the atlas's
 */
export async function openAtlasServers(
  sections: Readonly<Record<string, object>> = {},
  env: NodeJS.ProcessEnv = {},
  apiKey?: string,
): Promise<AtlasServers> {
  const tools = toolsConfigSchema.parse({
    site: { folder: `${atlas}site` },
    web_search: {},
    crawl_page: {},
    wiki_search: { corpus: `${atlas}passages.jsonl` },
    ...sections,
  });
  const config = { tools, teacher: teacherConfigSchema.parse({}) };
  const session = createSession({ env });
  onTestFinished(() => session.resources.closeAll());
  const servers = await openToolServers(
    {
      tools: {
        config,
        wanted: new Set(['web_search', 'crawl_page', 'wiki_search']),
        cacheFolder: temporaryFolder(),
        sandbox: undefined,
        models: toolModelsWithoutRun(config, session),
      },
      host: '127.0.0.1',
      ports: { web_search: 0, crawl_page: 0, wiki_search: 0 },
      apiKey,
      log: () => {},
      cut: AbortSignal.abort(),
    },
    session,
  );
  return Object.fromEntries(servers.map((server) => [server.name, server])) as unknown as AtlasServers;
}
