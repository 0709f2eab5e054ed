import type { Tool } from '../../contract/tool.ts';
import type { OpenedSite } from './openSite.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** Opens the `crawl_page` tool where it is wanted and configured. */
export async function openCrawlPage(
  { config, wanted }: OpenToolsOptions,
  openSite: () => Promise<OpenedSite>,
): Promise<Tool | undefined> {
  const crawl = config.tools.crawl_page;
  if (!crawl || !wanted.has('crawl_page')) return undefined;
  const { createCrawlPageTool } = await import('../../../tools/crawlPage/createCrawlPageTool.ts');
  const site = await openSite();
  const overrides = site ? [[site.host, site.server] as const] : [];
  return createCrawlPageTool({
    timeoutMs: crawl.timeout_s * 1000,
    maxBytes: crawl.max_bytes,
    maxChars: crawl.max_chars,
    hostOverrides: new Map(overrides.map(([host, { address, port }]) => [host, { address, port }])),
  });
}
