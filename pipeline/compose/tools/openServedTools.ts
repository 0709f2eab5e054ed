import type { ServeConfig } from '../../../schemas/config/tools/serve.ts';
import type { ToolEndpoint } from '../../../tools/servers/createToolApp.ts';
import { once } from '../once.ts';
import type { Resources } from '../resources.ts';
import { openPageService } from './openPageService.ts';
import { openPassageRetriever } from './openPassageRetriever.ts';
import { openSearchService } from './openSearchService.ts';
import { type OpenedSite, openSite } from './openSite.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** Opens the endpoints of those tools that are wanted, configured, and spoken by a protocol of their own. */
export async function openServedTools(
  options: OpenToolsOptions,
  serve: ServeConfig,
  resources: Resources,
): Promise<ToolEndpoint[]> {
  const site = once(() => openSite(options, resources));
  const opened = [
    await openSearchEndpoint(options, serve, site, resources),
    await openCrawlEndpoint(options, serve, site, resources),
    await openRetrievalEndpoint(options, serve, resources),
  ];
  return opened.flatMap((endpoint) => endpoint ?? []);
}

async function openSearchEndpoint(
  options: OpenToolsOptions,
  serve: ServeConfig,
  site: () => Promise<OpenedSite>,
  resources: Resources,
): Promise<ToolEndpoint | undefined> {
  const { web_search } = options.config.tools;
  if (!web_search || !options.wanted.has('web_search')) return undefined;
  const opened = await openSearchService(options, site, resources);
  if (!opened) return undefined;
  const { searchEndpoint } = await import('../../../tools/servers/searchEndpoint.ts');
  const { createCachingSearch } = await import('../../../tools/servers/createCachingSearch.ts');
  const search = createCachingSearch(opened.service, {
    maxSearches: serve.search_cache.max_searches,
    maxBytes: serve.search_cache.max_bytes,
    maxAgeMs: serve.search_cache.max_age_s * 1000,
    now: options.clock.monotonicMs,
  });
  return searchEndpoint(search, { defaultResults: web_search.num, maxResults: serve.max_results });
}

async function openCrawlEndpoint(
  options: OpenToolsOptions,
  serve: ServeConfig,
  site: () => Promise<OpenedSite>,
  resources: Resources,
): Promise<ToolEndpoint | undefined> {
  const { crawl_page } = options.config.tools;
  if (!crawl_page || !options.wanted.has('crawl_page')) return undefined;
  const { crawlEndpoint } = await import('../../../tools/servers/crawlEndpoint.ts');
  const pages = await openPageService(options, site, resources);
  return pages && crawlEndpoint(pages, { maxUrls: serve.max_urls });
}

async function openRetrievalEndpoint(
  options: OpenToolsOptions,
  serve: ServeConfig,
  resources: Resources,
): Promise<ToolEndpoint | undefined> {
  const { wiki_search } = options.config.tools;
  if (!wiki_search || !options.wanted.has('wiki_search')) return undefined;
  const { retrievalEndpoint } = await import('../../../tools/servers/retrievalEndpoint.ts');
  const retriever = await openPassageRetriever(options, resources);
  if (!retriever) return undefined;
  return retrievalEndpoint(retriever, {
    defaultTopK: wiki_search.top_k,
    maxTopK: serve.max_results,
    maxQueries: serve.max_queries,
  });
}
