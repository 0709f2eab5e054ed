import type { SearchProviderName } from '../../schemas/config/tools/webSearch.ts';
import type { FoundResult, SerperResult } from './cleanResults.ts';

/** A query for a provider. */
export interface SearchQuery {
  readonly query: string;
  /** At most the provider's maximum. */
  readonly num: number;
}

export interface SearchRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** An answer with an error status. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for other content than JSON. */
  readonly body: unknown;
}

/** Meaning of an error status for a provider. */
export interface SearchError {
  /** Provider's message, or our advice. */
  readonly detail?: string | undefined;
  /** True if the query is at fault, and not the key, the account or the service. */
  readonly isOfQuery?: boolean;
  /** False if waiting does not help, whatever the status. */
  readonly retried?: boolean | undefined;
  /** Seconds, if the provider does not use `Retry-After`. */
  readonly retryAfter?: string | undefined;
}

/** Requests and answers of a web search provider. Pure. */
export interface SearchProvider {
  readonly name: SearchProviderName;
  /** Maximum query length. */
  readonly most?: { readonly characters: number; readonly words?: number };
  request(query: SearchQuery, apiKey: string | undefined): SearchRequest;
  /**
   * Results of a successful answer. Throws zod's error for another shape, and `ServiceFault` for a reported failure.
   */
  read(answer: unknown): readonly FoundResult[];
  explain(error: ErrorAnswer): SearchError;
}

/** Answers web searches, with any provider. */
export interface SearchService {
  /**
   * Best results first, at most `num` and at most the provider's maximum.
   * @throws QueryRefused for a query that the service does not take; RecordFailure `tool_unavailable` when the service
   * failed; the signal's reason when it is aborted
   */
  search(query: string, num: number, signal: AbortSignal): Promise<readonly SerperResult[]>;
}

/** Thrown for a query that a service refuses. Its message may be shown to the caller. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}
