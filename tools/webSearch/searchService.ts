import type { SerperResult } from '../serperSearch.ts';

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
