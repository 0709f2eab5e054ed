import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import { searchAddressOf, searchKeyOf } from '../../schemas/config/resolved/endpoints.ts';
import type { WebSearchConfig } from '../../schemas/config/tools/webSearch.ts';
import { sectionRow, type ToolContext } from '../toolRow.ts';
import type { SearchService } from './searchProvider.ts';

export const webSearchRow = sectionRow('web_search', {
  providerOf: (search) => {
    const address = searchAddressOf(search);
    return address === undefined ? 'local' : addressWithoutSecrets(address);
  },
  seesSite: true,
  checkEnvironment: (search, env) => void searchKeyOf(search, env),
  // Searches without a service use the corpus.
  fingerprint: (search, { wiki_search }, { web_search, site }) => ({
    own_service: false,
    ...search,
    corpus: web_search?.provider === 'local' && !site ? wiki_search : undefined,
  }),
  async open(search, context) {
    const { createWebSearchTool } = await import('./createWebSearchTool.ts');
    const { provider, num } = search;
    return createWebSearchTool({ service: await openSearchService(search, context), provider, num });
  },
  async serve(search, context) {
    const { createCachingSearch, searchEndpoint } = await import('../servers/searchEndpoint.ts');
    const service = await openSearchService(search, context);
    return searchEndpoint(createCachingSearch(service, context.clock.monotonicMs), search.num);
  },
});

/** Opens the search service of `tools.web_search`. Throws `UserError` without the provider's key, unless offline. */
export async function openSearchService(
  search: WebSearchConfig,
  context: ToolContext,
): Promise<SearchService> {
  const { provider } = search;
  if (provider === 'local') return openLocal(context);
  const { createSearchService } = await import('./createSearchService.ts');
  // The bundled site uses Serper's JSON.
  const baseUrl = searchAddressOf(search) ?? (await context.openSite())?.server.baseUrl ?? '';
  const apiKey = context.offline ? undefined : searchKeyOf(search, context.env);
  const call = context.createServiceCaller({
    baseUrl,
    apiKey,
    concurrency: search.concurrency,
    requestsPerMinute: search.requests_per_minute,
    maxRetries: search.max_retries,
    feeUsd: search.price_usd_per_query,
  });
  return createSearchService({ provider, baseUrl, apiKey, timeoutMs: search.timeout_s * 1000, call });
}

/** Searches the bundled site if configured, otherwise the encyclopedia's passages. */
async function openLocal(context: ToolContext): Promise<SearchService> {
  const { site, wiki_search } = context.tools;
  if (site) {
    const { openSiteSearch } = await import('../site/openSiteSearch.ts');
    const { createSiteService } = await import('./localServices.ts');
    return createSiteService(context.resources.keep(await openSiteSearch(site, context.log)));
  }
  const { openPassageRetriever } = await import('../wikiSearch/wikiSearchRow.ts');
  const { createPassageService } = await import('./localServices.ts');
  // The configuration check guarantees one of the two.
  return createPassageService(await openPassageRetriever(wiki_search!, context));
}
