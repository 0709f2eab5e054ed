/**
 * The tool servers over the bundled atlas in a process of their own, so that they do not share the clients' thread.
 * Started by `startToolServers`; told anything, it says what it takes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openToolServers } from '../../pipeline/compose/openToolServers.ts';
import { toolModelsWithoutRun } from '../../pipeline/compose/toolsWithoutRun.ts';
import { createSession } from '../../pipeline/createSession.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { toolsConfigSchema } from '../../schemas/config/tools.ts';
import type { ToolServersFigures } from './startToolServers.ts';

const atlas = fileURLToPath(new URL('../../examples/atlas/', import.meta.url));
const cacheFolder = mkdtempSync(join(tmpdir(), 'coa-bench-'));
const tools = toolsConfigSchema.parse({
  site: { folder: `${atlas}site` },
  web_search: {},
  crawl_page: {},
  wiki_search: { corpus: `${atlas}passages.jsonl` },
});
const config = { tools, teacher: teacherConfigSchema.parse({}) };
const session = createSession({ env: {} });
const servers = await openToolServers(
  {
    tools: {
      config,
      wanted: new Set(['web_search', 'crawl_page', 'wiki_search']),
      cacheFolder,
      sandbox: undefined,
      models: toolModelsWithoutRun(config, session),
    },
    host: '127.0.0.1',
    ports: { web_search: 0, crawl_page: 0, wiki_search: 0 },
    apiKey: undefined,
    // Lines are made, as for a user, and go nowhere.
    log: () => {},
    cut: new AbortController().signal,
  },
  session,
);

process.on('message', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  // Garbage is no leak: what is alive is what must not grow.
  globalThis.gc!();
  const { rss, heapUsed } = process.memoryUsage();
  process.send!({ cpuMs, rssBytes: rss, heapBytes: heapUsed } satisfies ToolServersFigures);
});
process.on('disconnect', async () => {
  await session.resources.closeAll();
  rmSync(cacheFolder, { recursive: true });
  process.exit();
});
process.send!(Object.fromEntries(servers.map(({ name, url }) => [name, url])));
