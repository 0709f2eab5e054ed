import { contentId } from '../../base/ids.ts';
import { once } from '../../base/once.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { jinaKeyOf } from '../../schemas/config/resolved/endpoints.ts';
import { parseAllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import type { CrawlPageConfig, JinaConfig } from '../../schemas/config/tools/crawlPage.ts';
import { sectionRow, type ToolContext } from '../toolRow.ts';
import type { PageService } from './createPageService.ts';
import type { JinaSettings } from './jinaReader.ts';
import { summaryPrompts } from './pageSummary.ts';

/** Timeout of a page with its redirects and retries; the same again for parsing it. */
const PAGE_TIMEOUT_MS = 30_000;
/** Maximum bytes of a page, compressed and uncompressed. */
const MAX_PAGE_BYTES = 5_000_000;
/** Concurrent requests per host and in total, and milliseconds between two to one host. */
const POLITENESS = { perHost: 2, intervalMs: 200, total: 32 };

export const crawlPageRow = sectionRow('crawl_page', {
  providerOf: ({ jina }) => (jina ? 'jina' : 'web'),
  checkEnvironment: ({ jina }, env) => void (jina && jinaKeyOf(jina, env)),
  seesSite: true,
  fingerprint: ({ summary, ...crawl }) => ({
    ...crawl,
    summary: summary && { ...summary, prompts: contentId('config', summaryPrompts) },
  }),
  tokenizerOf: () => BUNDLED_TOKENIZER,
  async open(crawl, context) {
    const { createCrawlPageTool } = await import('./createCrawlPageTool.ts');
    return createCrawlPageTool(await openPageService(crawl, context));
  },
  async serve(crawl, context) {
    const { crawlEndpoint } = await import('../servers/crawlEndpoint.ts');
    return crawlEndpoint(await openPageService(crawl, context));
  },
});

/** Opens the page service of `tools.crawl_page`. */
export async function openPageService(
  crawl: CrawlPageConfig,
  { clock, env, models, offline, openSite, openTokenizer, resources }: PageServiceContext,
): Promise<PageService> {
  const { createPageService } = await import('./createPageService.ts');
  const site = await openSite();
  const summariser = await openSummariser(crawl, models);
  const service = createPageService({
    fetch: { timeoutMs: PAGE_TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES },
    maxChars: crawl.max_chars,
    maxTokens: crawl.max_tokens,
    openCounter: once(() => openTokenizer(BUNDLED_TOKENIZER)),
    hostOverrides: new Map(site ? [[site.host, site.server]] : []),
    allowedHosts: crawl.allow_hosts.map((entry) => parseAllowedHost(entry)!),
    turns: POLITENESS,
    robots: crawl.robots,
    userAgent: crawl.user_agent,
    ...(crawl.jina && { jina: jinaSettings(crawl.jina, offline ? undefined : jinaKeyOf(crawl.jina, env)) }),
    clock,
    ...(summariser && { summariser }),
  });
  return resources.keep(service);
}

function jinaSettings(jina: JinaConfig, apiKey: string | undefined): JinaSettings {
  const headers = Object.entries(jina.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { baseUrl: jina.base_url, apiKey, headers: Object.fromEntries(headers) };
}

type PageServiceContext = Pick<
  ToolContext,
  'clock' | 'env' | 'offline' | 'models' | 'openSite' | 'openTokenizer' | 'resources'
>;

/** Opens the summary's model with the first page: opening tools needs no key. */
async function openSummariser({ summary }: CrawlPageConfig, models: ToolContext['models']) {
  if (!summary) return undefined;
  const { createPageSummariser } = await import('./pageSummariser.ts');
  const openModel = () => models.chatModel('crawl_page.summary.model');
  return createPageSummariser({ openModel, clickIntent: summary.click_intent });
}
