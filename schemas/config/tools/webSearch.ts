import { z } from 'zod';
import {
  key,
  keyOf,
  plainText,
  positive,
  positiveInt,
  serviceUrl,
  timerSeconds,
  wholeNumber,
} from '../keyMeaning.ts';

const rolloutKey = keyOf('rollout');

/** Providers of web searches. */
export const searchProviderSchema = z.enum(['serper', 'searxng', 'brave', 'tavily', 'local']);
export type SearchProviderName = z.infer<typeof searchProviderSchema>;

/** Requirements and limits of a web search provider. */
interface SearchProviderFacts {
  /** Default address; undefined if it depends on the user. */
  readonly baseUrl?: string;
  /** Environment variable of its key; empty if none is needed. */
  readonly apiKeyEnv: string;
  /** Maximum results of one query. */
  readonly mostResults: number;
}

/**
 * Facts from the providers' own documentation (serper.dev, docs.searxng.org, api-dashboard.search.brave.com,
 * docs.tavily.com).
 */
export const searchProviderFacts: Readonly<Record<SearchProviderName, SearchProviderFacts>> = {
  serper: { apiKeyEnv: 'SERPER_API_KEY', mostResults: 100 },
  // The API has no parameter for the number: a page contains what its engines return.
  searxng: { apiKeyEnv: '', mostResults: 100 },
  brave: { baseUrl: 'https://api.search.brave.com', apiKeyEnv: 'BRAVE_API_KEY', mostResults: 20 },
  tavily: { baseUrl: 'https://api.tavily.com', apiKeyEnv: 'TAVILY_API_KEY', mostResults: 20 },
  local: { apiKeyEnv: '', mostResults: 100 },
};

/** The `tools.web_search` section: results of a web search. */
export const webSearchConfigSchema = z
  .strictObject({
    provider: rolloutKey(
      searchProviderSchema.default('serper'),
      "Who answers searches; serper: any service of Serper's shape; local: tools.site, or else the corpus of tools.wiki_search, without network",
    ),
    base_url: rolloutKey(
      serviceUrl.optional(),
      "Address of the service; absent: the provider's, for serper the bundled site's; which address it is shapes nothing",
      { presence: 'own_service' },
    ),
    api_key_env: key(
      plainText.optional(),
      'Environment variable that holds the key of base_url; "" where none is needed; absent: SERPER_API_KEY, BRAVE_API_KEY, TAVILY_API_KEY, none for searxng',
    ),
    num: rolloutKey(
      positiveInt.max(100).default(10),
      'Results of one query; at most 20 for brave and tavily',
    ),
    timeout_s: key(timerSeconds.positive().default(30), 'Seconds that one attempt may take'),
    max_retries: key(wholeNumber.default(4), 'Retries after status 408, 409, 429, 5xx, broken connections'),
    concurrency: key(
      positiveInt.default(8),
      'Most queries in flight at once; fewer are sent while the service refuses so many',
    ),
    requests_per_minute: key(positive.optional(), 'Most queries in any minute; absent: found by trying'),
    price_usd_per_query: key(
      z.number().nonnegative().optional(),
      'US dollars of one query, for costs and budgets; absent: 0',
    ),
  })
  .describe('Results of a web search');
export type WebSearchConfig = z.infer<typeof webSearchConfigSchema>;
