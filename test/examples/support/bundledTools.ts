import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tool } from '../../../pipeline/contract/tool.ts';
import { createCrawlPageTool } from '../../../tools/crawlPage/createCrawlPageTool.ts';
import { startSiteServer } from '../../../tools/site/startSiteServer.ts';
import { createWebSearchTool } from '../../../tools/webSearch/createWebSearchTool.ts';
import { createWikiSearchTool } from '../../../tools/wikiSearch/createWikiSearchTool.ts';
import { openPassageIndex } from '../../../tools/wikiSearch/openPassageIndex.ts';
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
  const index = await openPassageIndex(corpus, cache);
  const host = 'atlas.example';
  const server = await startSiteServer({ folder: site, host });
  const hostOverrides = new Map([[host, { address: server.address, port: server.port }]]);
  const all = [
    createWikiSearchTool({ index, topK: 3 }),
    createWebSearchTool({ baseUrl: server.baseUrl, num: 10, timeoutMs: 30_000 }),
    createCrawlPageTool({ timeoutMs: 30_000, maxBytes: 5_000_000, maxChars: 8_000, hostOverrides }),
  ];
  return {
    tools: new Map(all.map((tool) => [tool.name, tool])),
    close: async () => {
      await server.close();
      index.close();
      await rm(cache, { recursive: true });
    },
  };
}
