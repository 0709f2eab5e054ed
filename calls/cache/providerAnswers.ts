import type { Clock } from '../../base/clock.ts';
import { canonicalJson, sha256Hex } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';

/** Provider of the answers and their cache. */
interface ProviderAnswersOptions {
  readonly cache: AnswerCache;
  /** Address without secrets, or its substitute. */
  readonly provider: string;
  readonly alsoFrom?: readonly string[];
  /** Name of the model or tool. */
  readonly name: string;
  /** Answers of other providers are accepted, since the address may have changed. */
  readonly offline: boolean;
  readonly clock: Clock;
}

/** Cached answers of one model or tool at one provider. */
export class ProviderAnswers {
  readonly #options: ProviderAnswersOptions;

  constructor(options: ProviderAnswersOptions) {
    this.#options = options;
  }

  async find(request: string): Promise<JsonObject | undefined> {
    const { cache, provider, alsoFrom = [], offline } = this.#options;
    for (const from of [provider, ...alsoFrom]) {
      const kept = await cache.lookup({ request, provider: from });
      if (kept) return kept.answer;
    }
    return offline ? (await cache.lookupRequest(request))?.answer : undefined;
  }

  /** Lets one process at a time look up or request an answer, if several may ask. */
  alone<T>(request: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { cache, provider } = this.#options;
    return cache.alone?.({ request, provider }, signal, work) ?? work();
  }

  /** Resolves to the stored answer once it is durable. Throws `UserError` on a disk error. */
  async store(
    asked: Pick<CachedAnswer, 'kind' | 'request' | 'sample' | 'task_id'>,
    answer: JsonObject,
  ): Promise<JsonObject> {
    const { cache, provider, name, clock } = this.#options;
    const created_at = new Date(clock.now()).toISOString();
    return (await cache.store({ ...asked, provider, name, created_at, answer })).answer;
  }
}

/** A request, numbered among the equal ones of its task. */
export interface NumberedRequest {
  /** Key of its answer. */
  readonly request: string;
  /** Index among the task's equal requests, from 0. */
  readonly sample: number;
  /** Empty without a known task. */
  readonly task_id: string;
}

/** SHA-256 of everything that affects an answer. */
export function requestHashOf(shaping: unknown): string {
  return sha256Hex(canonicalJson(shaping));
}

/** Numbers equal requests of each task: the second needs an answer of its own. */
export class RequestNumbers {
  readonly #counts = new WeakMap<TaskWork, Map<string, number>>();

  /** Numbers the next request of a task. Without `work` every request is the first. */
  next(shaping: unknown, work: TaskWork | undefined): NumberedRequest {
    const asked = requestHashOf(shaping);
    const sample = work === undefined ? 0 : this.#count(asked, work);
    const request = requestHashOf({ asked, attempt: work?.attempt ?? 0, sample });
    return { request, sample, task_id: work?.task_id ?? '' };
  }

  #count(asked: string, work: TaskWork): number {
    const counts = this.#counts.get(work) ?? new Map<string, number>();
    this.#counts.set(work, counts);
    const before = counts.get(asked) ?? 0;
    counts.set(asked, before + 1);
    return before;
  }
}

/**
 * Failure of a record whose next request is not cached, in a run that may only use the cache.
 * @param what says who asked whom
 * @param request SHA-256 of the request
 */
export function notCached(what: string, request: string, evidence: JsonObject): RecordFailure {
  const message = `--offline: the cache holds no answer to ${what} (${request.slice(0, 12)}); run without --offline to ask for it`;
  return new RecordFailure('not_cached', message, { ...evidence, request });
}
