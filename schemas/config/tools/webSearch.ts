import { z } from 'zod';
import { serviceUrlSchema } from '../serviceUrl.ts';
import { timerSecondsSchema } from '../timerSeconds.ts';

/** Who answers web searches. */
export const searchProviderSchema = z.enum(['serper', 'searxng', 'brave', 'tavily', 'local']);
/** See {@link searchProviderSchema}. */
export type SearchProviderName = z.infer<typeof searchProviderSchema>;

/** What a provider of web searches asks for and gives. */
export interface SearchProviderFacts {
  /** Where it is when the configuration does not say; undefined where that depends on the user. */
  readonly baseUrl?: string;
  /** Environment variable of its key; empty where it needs none. */
  readonly apiKeyEnv: string;
  /** Most results of one query. */
  readonly mostResults: number;
}

/** The providers' own documentation says so (serper.dev, docs.searxng.org, api-dashboard.search.brave.com, docs.tavily.com). */
export const searchProviderFacts: Readonly<Record<SearchProviderName, SearchProviderFacts>> = {
  serper: { apiKeyEnv: 'SERPER_API_KEY', mostResults: 100 },
  // It has no parameter for the number: a page holds what its engines give.
  searxng: { apiKeyEnv: '', mostResults: 100 },
  brave: { baseUrl: 'https://api.search.brave.com', apiKeyEnv: 'BRAVE_API_KEY', mostResults: 20 },
  tavily: { baseUrl: 'https://api.tavily.com', apiKeyEnv: 'TAVILY_API_KEY', mostResults: 20 },
  local: { apiKeyEnv: '', mostResults: 100 },
};

/** The `tools.web_search` section: results of a web search. */
export const webSearchConfigSchema = z.strictObject({
  provider: searchProviderSchema
    .default('serper')
    .describe(
      "serper: any service of Serper's shape; local: tools.site, or else the corpus of tools.wiki_search, without network",
    ),
  base_url: serviceUrlSchema
    .optional()
    .describe("Where the service is; default: the provider's, for serper the bundled site's"),
  api_key_env: z
    .string()
    .optional()
    .describe(
      'Environment variable that holds the key of base_url; "" when none is needed; default: SERPER_API_KEY, BRAVE_API_KEY, TAVILY_API_KEY, none for searxng',
    ),
  num: z.int().positive().max(100).default(10).describe('Results a query; at most 20 for brave and tavily'),
  timeout_s: timerSecondsSchema.positive().default(30).describe('For one attempt'),
  max_retries: z.int().nonnegative().default(4).describe('For 408, 409, 429, 5xx and broken connections'),
  max_retry_wait_s: timerSecondsSchema
    .positive()
    .default(60)
    .describe('Longest wait that Retry-After is obeyed for'),
  concurrency: z
    .int()
    .positive()
    .default(8)
    .describe('Most queries in flight at once; fewer while the service refuses so many'),
  requests_per_minute: z
    .number()
    .positive()
    .optional()
    .describe('Never passed in any minute; without it, what the service bears is found out'),
  price_usd_per_query: z
    .number()
    .nonnegative()
    .optional()
    .describe('Counts towards what the run spends and may cost; without it, searches are reckoned as free'),
});
/** See {@link webSearchConfigSchema}. */
export type WebSearchConfig = z.infer<typeof webSearchConfigSchema>;
