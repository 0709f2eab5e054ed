import { expect, test } from 'vitest';
import type { Tool } from '../../../contract/tool.ts';
import { openTools } from '../../../pipeline/compose/openTools.ts';
import { toolModelsWithoutRun } from '../../../pipeline/compose/toolsWithoutRun.ts';
import { createSession } from '../../../pipeline/createSession.ts';
import { teacherConfigSchema } from '../../../schemas/config/teacher.ts';
import { toolsConfigSchema } from '../../../schemas/config/tools.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { atlas, openAtlasServers } from './support/openAtlasServers.ts';

const KEY = 'sk-key-of-the-test-8';
const { signal } = new AbortController();

/** Opens the tools of a `tools` section, has them used, and closes them. */
async function withTools<T>(
  section: object,
  env: NodeJS.ProcessEnv,
  use: (tools: ReadonlyMap<string, Tool>) => Promise<T>,
): Promise<T> {
  const config = { tools: toolsConfigSchema.parse(section), teacher: teacherConfigSchema.parse({}) };
  const session = createSession({ env });
  try {
    const tools = await openTools(
      {
        config,
        wanted: new Set(['web_search', 'wiki_search']),
        cacheFolder: temporaryFolder(),
        sandbox: undefined,
        models: toolModelsWithoutRun(config, session),
      },
      session,
    );
    return await use(tools);
  } finally {
    await session.resources.closeAll();
  }
}

test('our tools show the same through our servers, with a key, as without them', async () => {
  const servers = await openAtlasServers({}, {}, KEY);
  const { web_search, wiki_search } = servers;
  const remote = {
    web_search: { base_url: web_search.baseUrl, api_key_env: 'TOOLS_KEY' },
    wiki_search: { url: wiki_search.url, api_key_env: 'TOOLS_KEY' },
  };
  const local = {
    site: { folder: `${atlas}site` },
    web_search: {},
    wiki_search: { corpus: `${atlas}passages.jsonl` },
  };
  const env = { TOOLS_KEY: KEY };
  for (const query of ['Lighthouse Picnic', 'zzzzqqqq', 'ship "Moonraker" 東京']) {
    const shown = (section: object) =>
      withTools(section, env, async (tools) => [
        (await tools.get('web_search')!.call({ query }, signal)).observation,
        (await tools.get('wiki_search')!.call({ query }, signal)).observation,
      ]);
    expect(await shown(remote)).toEqual(await shown(local));
  }
});

test('a wrong key is the service’s failure, and told nowhere', async () => {
  const { web_search, wiki_search } = await openAtlasServers({}, {}, KEY);
  const section = {
    web_search: { base_url: web_search.baseUrl, api_key_env: 'TOOLS_KEY', max_retries: 0 },
    wiki_search: { url: wiki_search.url, api_key_env: 'TOOLS_KEY' },
  };
  await withTools(section, { TOOLS_KEY: 'sk-another' }, async (tools) => {
    for (const name of ['web_search', 'wiki_search']) {
      const error = await tools
        .get(name)!
        .call({ query: 'a' }, signal)
        .catch((thrown) => thrown);
      expect(error).toMatchObject({ failure: { cause: 'tool_unavailable' } });
      expect(JSON.stringify([error.message, error.failure])).toContain('401');
      expect(JSON.stringify([error.message, error.failure])).not.toContain('sk-another');
    }
  });
});
