import { contentId } from '../../base/ids.ts';
import { once } from '../../base/once.ts';
import { jinaKeyOf } from '../../schemas/config/resolved/endpoints.ts';
import { parseAllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import type { CrawlPageConfig, JinaConfig } from '../../schemas/config/tools/crawlPage.ts';
import { sectionRow, type ToolContext } from '../toolRow.ts';
import type { PageService } from './createPageService.ts';
import type { JinaSettings } from './jinaReader.ts';
import { summaryPrompts } from './pageSummary.ts';

export const crawlPageRow = sectionRow('crawl_page', {
  providerOf: ({ jina }) => (jina ? 'jina' : 'web'),
  checkEnvironment: ({ jina }, env) => void (jina && jinaKeyOf(jina, env)),
  seesSite: true,
  fingerprint: ({ summary, ...crawl }) => ({
    ...crawl,
    summary: summary && { ...summary, prompts: contentId('config', summaryPrompts) },
  }),
  tokenizerOf: ({ tokenizer }) => tokenizer,
  async open(crawl, context) {
    const { createCrawlPageTool } = await import('./createCrawlPageTool.ts');
    return createCrawlPageTool(await openPageService(crawl, context));
  },
  async serve(crawl, context) {
    const { crawlEndpoint } = await import('../servers/crawlEndpoint.ts');
    return crawlEndpoint(await openPageService(crawl, context));
  },
});

/** Opens the service that reads pages as `tools.crawl_page` says. */
export async function openPageService(
  crawl: CrawlPageConfig,
  { clock, env, models, offline, openSite, openTokenizer, resources }: PageServiceContext,
): Promise<PageService> {
  const { createPageService } = await import('./createPageService.ts');
  const site = await openSite();
  const summariser = await openSummariser(crawl, models);
  const service = createPageService({
    fetch: { timeoutMs: crawl.timeout_s * 1000, maxBytes: crawl.max_bytes },
    maxChars: crawl.max_chars,
    maxTokens: crawl.max_tokens,
    openCounter: once(() => openTokenizer(crawl.tokenizer)),
    hostOverrides: new Map(site ? [[site.host, site.server]] : []),
    allowedHosts: crawl.allow_hosts.map((entry) => parseAllowedHost(entry)!),
    turns: { perHost: crawl.per_host, intervalMs: crawl.interval_ms, total: crawl.concurrency },
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

/** The summary's model is opened with the first page: one who only opens tools needs no key. */
async function openSummariser({ summary }: CrawlPageConfig, models: ToolContext['models']) {
  if (!summary) return undefined;
  const { createPageSummariser } = await import('./pageSummariser.ts');
  const openModel = () => models.chatModel('crawl_page.summary.model');
  return createPageSummariser({ openModel, clickIntent: summary.click_intent });
}
