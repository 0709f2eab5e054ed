import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../base/systemClock.ts';
import { createServiceCaller } from '../../../calls/limits/createServiceCaller.ts';
import type { Tool } from '../../../contract/tool.ts';
import { createCrawlPageTool } from '../../../tools/crawlPage/createCrawlPageTool.ts';
import { startSiteServer } from '../../../tools/site/startSiteServer.ts';
import { createSearchService } from '../../../tools/webSearch/createSearchService.ts';
import { createWebSearchTool } from '../../../tools/webSearch/createWebSearchTool.ts';
import { keepPassageIndex } from '../../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../../../tools/wikiSearch/createIndexRetriever.ts';
import { createWikiSearchTool } from '../../../tools/wikiSearch/createWikiSearchTool.ts';
import { openPages } from '../../tools/support/openPages.ts';
import { examplesFolder } from './examplesFolder.ts';

/** Real searches over the bundled world, with the quickstart's settings. */
export interface BundledTools {
  readonly tools: ReadonlyMap<string, Tool>;
  close(): Promise<void>;
}

/** Opens the tools over a site and a corpus; the bundled ones where none are given. */
export async function openBundledTools(
  site = path.join(examplesFolder, 'atlas/site'),
  corpus = path.join(examplesFolder, 'atlas/passages.jsonl'),
): Promise<BundledTools> {
  const cache = await mkdtemp(path.join(tmpdir(), 'coa-atlas-'));
  const { file, meta } = await keepPassageIndex(corpus, cache);
  const retriever = createIndexRetriever({ files: { index: file }, passages: meta.passages, mode: 'bm25' });
  const host = 'atlas.example';
  const server = await startSiteServer({ folder: site, host });
  const pages = openPages({ hostOverrides: new Map([[host, server]]) });
  const all = [
    createWikiSearchTool({ retriever, topK: 3 }),
    createWebSearchTool({ service: serperAt(server.baseUrl), provider: 'serper', num: 10 }),
    createCrawlPageTool(pages),
  ];
  return {
    tools: new Map(all.map((tool) => [tool.name, tool])),
    close: async () => {
      await pages.close();
      await server.close();
      await retriever.close();
      await rm(cache, { recursive: true });
    },
  };
}

function serperAt(baseUrl: string) {
  const call = createServiceCaller({
    baseUrl,
    apiKey: undefined,
    concurrency: 8,
    requestsPerMinute: undefined,
    maxRetries: 0,
    clock: systemClock,
  });
  return createSearchService({ provider: 'serper', baseUrl, timeoutMs: 30_000, call });
}
