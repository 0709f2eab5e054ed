import type { CachedAnswer } from '../schemas/run/cachedAnswer.ts';

/** Key of a cached answer. */
export type AnswerKey = Pick<CachedAnswer, 'request' | 'provider'>;

/** Paid answers, stored so that they are never requested again. */
export interface AnswerCache {
  lookup(key: AnswerKey): Promise<CachedAnswer | undefined>;
  /**
   * Answer to the request from any provider; undefined if several providers gave one. For replays, which may not know
   * the address that was asked.
   */
  lookupRequest(request: string): Promise<CachedAnswer | undefined>;
  /**
   * Stores an answer; of two under one key the first is kept and must be used. Resolves to the kept one after it is
   * durable.
   * @throws UserError when the disk does not take it
   */
  store(answer: CachedAnswer): Promise<CachedAnswer>;
  /**
   * Lets one process at a time look up an answer and request it if missing. Absent if only one process asks.
   * @throws the signal's reason when it is aborted meanwhile, and whatever the work throws
   */
  alone?<T>(key: AnswerKey, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}
