import { parseAllowedHost } from '../../../schemas/config/tools/allowedHost.ts';
import type { CrawlPageConfig } from '../../../schemas/config/tools/crawlPage.ts';
import type { PageService } from '../../../tools/crawlPage/createPageService.ts';
import { once } from '../once.ts';
import type { Resources } from '../resources.ts';
import type { OpenedSite } from './openSite.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** Opens the service that reads pages; undefined without `tools.crawl_page`. */
export async function openPageService(
  { config, models, clock }: Pick<OpenToolsOptions, 'config' | 'models' | 'clock'>,
  openSite: () => Promise<OpenedSite>,
  resources: Resources,
): Promise<PageService | undefined> {
  const crawl = config.tools.crawl_page;
  if (!crawl) return undefined;
  const { createPageService } = await import('../../../tools/crawlPage/createPageService.ts');
  const site = await openSite();
  const summariser = await openSummariser(crawl, models);
  const service = createPageService({
    fetch: {
      timeoutMs: crawl.timeout_s * 1000,
      idleTimeoutMs: crawl.idle_timeout_s * 1000,
      maxBytes: crawl.max_bytes,
      maxRedirects: crawl.max_redirects,
      maxRetries: crawl.max_retries,
    },
    maxChars: crawl.max_chars,
    maxTokens: crawl.max_tokens,
    maxPdfPages: crawl.max_pdf_pages,
    openCounter: once(() => openTokenizer(crawl, resources)),
    hostOverrides: new Map(site ? [[site.host, site.server]] : []),
    allowedHosts: crawl.allow_hosts.map((entry) => parseAllowedHost(entry)!),
    turns: { perHost: crawl.per_host, intervalMs: crawl.interval_ms, total: crawl.concurrency },
    robots: crawl.robots,
    userAgent: crawl.user_agent,
    cache: {
      maxAgeMs: crawl.cache.max_age_s * 1000,
      maxPages: crawl.cache.max_pages,
      maxBytes: crawl.cache.max_bytes,
    },
    clock,
    ...(summariser && { summariser }),
  });
  return resources.keep(service);
}

/** The summary's model is opened with the first page: one who only opens tools needs no key. */
async function openSummariser({ summary }: CrawlPageConfig, models: OpenToolsOptions['models']) {
  if (!summary) return undefined;
  const { createPageSummariser } = await import('../../../tools/crawlPage/summary/pageSummariser.ts');
  const openModel = once(() => models.chatModel('crawl_page.summary'));
  return createPageSummariser({ openModel, clickIntent: summary.click_intent });
}

async function openTokenizer({ tokenizer }: CrawlPageConfig, resources: Resources) {
  const { loadTokenizer } = await import('../../../output/tokenizers/loadTokenizer.ts');
  return resources.keep(await loadTokenizer(tokenizer));
}
