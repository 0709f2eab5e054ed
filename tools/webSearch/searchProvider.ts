import type { SearchProviderName } from '../../schemas/config/tools/webSearch.ts';
import type { FoundResult, SerperResult } from './cleanResults.ts';

/** A query as a provider is asked it. */
export interface SearchQuery {
  readonly query: string;
  /** No more than the provider gives. */
  readonly num: number;
}

/** An HTTP request to a provider. */
export interface SearchRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** An answer with an error status. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where it is not JSON. */
  readonly body: unknown;
}

/** What an error status means to a provider, beyond the status. */
export interface SearchError {
  /** In the provider's words, or in ours what to do about it. */
  readonly detail?: string | undefined;
  /** True when it is the query that is wrong, and not the key, the account or the service. */
  readonly isOfQuery?: boolean;
  /** False when waiting won't help, whatever the status. */
  readonly retried?: boolean | undefined;
  /** Seconds, where the provider says so otherwise than by `Retry-After`. */
  readonly retryAfter?: string | undefined;
}

/** How a provider of web searches is asked, and what its answers mean. All pure. */
export interface SearchProvider {
  readonly name: SearchProviderName;
  /** Longest query that it takes. */
  readonly most?: { readonly characters: number; readonly words?: number };
  request(query: SearchQuery, apiKey: string | undefined): SearchRequest;
  /**
   * The results of a good answer. Throws zod's error for another shape, and `ServiceFault` for an answer that says that
   * the search failed.
   */
  read(answer: unknown): readonly FoundResult[];
  explain(error: ErrorAnswer): SearchError;
}

/** Answers web searches, whoever is behind it. */
export interface SearchService {
  /**
   * The best results, best first, at most `num` of them and at most as many as the provider gives.
   *
   * @throws QueryRefused for a query that the service does not take; RecordFailure `tool_unavailable` when the service
   * failed; the signal's reason when it is aborted
   */
  search(query: string, num: number, signal: AbortSignal): Promise<readonly SerperResult[]>;
}

/** Thrown for a query that a service does not take. Its message may be shown to whoever asked. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}
