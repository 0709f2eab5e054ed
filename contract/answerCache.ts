import type { CachedAnswer } from '../schemas/run/cachedAnswer.ts';

/** What an answer is found under. */
export type AnswerKey = Pick<CachedAnswer, 'request' | 'provider'>;

/** Answers that were paid for, kept so that they are never asked for again. */
export interface AnswerCache {
  lookup(key: AnswerKey): Promise<CachedAnswer | undefined>;
  /**
   * An answer to the request from whoever gave one; undefined when several providers did. For replays, which know
   * the request but perhaps not the address that was asked.
   */
  lookupRequest(request: string): Promise<CachedAnswer | undefined>;
  /**
   * Keeps an answer; of two under one key the first stays, and is the one to use. Resolves to the one that is kept
   * once it would survive a power cut.
   *
   * @throws UserError when the disk does not take it
   */
  store(answer: CachedAnswer): Promise<CachedAnswer>;
  /**
   * Lets one process at a time look for an answer and ask for it where there is none. Absent where one process asks.
   *
   * @throws the signal's reason when it is aborted meanwhile, and whatever the work throws
   */
  alone?<T>(key: AnswerKey, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}
