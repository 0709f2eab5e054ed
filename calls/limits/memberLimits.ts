import type { AttemptVerdict, EndpointMember } from '../../contract/endpointPool.ts';
import { MAX_RETRY_WAIT_MS } from '../../contract/retryPolicy.ts';
import { type BreakerTicket, CircuitBreaker } from './circuitBreaker.ts';
import { ConcurrencyLimit, type LimitTicket } from './concurrencyLimit.ts';
import { RateBucket } from './rateBucket.ts';

/** What is known of a member's limits beforehand. */
export interface MemberSettings extends EndpointMember {
  /** Most requests in flight at once. */
  readonly concurrency: number;
  /** Slots of its server, each of which keeps the conversation of one task; absent: not known. */
  readonly slots?: number | undefined;
  readonly requestsPerMinute: number | undefined;
  /** Prompt and answer together. */
  readonly tokensPerMinute: number | undefined;
  /** Failed probes after which it counts as down. */
  readonly probes: number;
}

/** An attempt in flight. */
export interface Attempt {
  readonly breaker: BreakerTicket;
  readonly limit: LimitTicket;
  /** Counted towards tokens a minute. */
  readonly tokens: number;
}

/** The limits of one address with one key: those that were set, and those that it shows by refusing. */
export class MemberLimits {
  readonly settings: MemberSettings;
  /** Told when a slot came free. Pools that share the member each have one. */
  readonly listeners = new Set<() => void>();
  readonly #concurrency: ConcurrencyLimit;
  readonly #breaker = new CircuitBreaker();
  readonly #requests: RateBucket | undefined;
  readonly #tokens: RateBucket | undefined;
  #barred: Error | undefined;
  #lastReason: Error | undefined;

  constructor(settings: MemberSettings, nowMs: number) {
    this.settings = settings;
    this.#concurrency = new ConcurrencyLimit(settings.concurrency);
    const { requestsPerMinute, tokensPerMinute } = settings;
    this.#requests = requestsPerMinute === undefined ? undefined : new RateBucket(requestsPerMinute, nowMs);
    this.#tokens = tokensPerMinute === undefined ? undefined : new RateBucket(tokensPerMinute, nowMs);
  }

  /** Requests in flight now. */
  get inFlight(): number {
    return this.#concurrency.inFlight;
  }

  /** Further requests that may be in flight now; 0 while it is not healthy. Rates are not looked at. */
  get freeSlots(): number {
    return this.isHealthy ? Math.max(0, this.#concurrency.limit - this.#concurrency.inFlight) : 0;
  }

  /** True while its breaker is closed and its key is taken. */
  get isHealthy(): boolean {
    return this.#barred === undefined && this.#breaker.failedProbes === undefined;
  }

  /** Why it is of no use any more: its key is refused, or as many probes as it is allowed have failed. */
  get downReason(): Error | undefined {
    if (this.#barred) return this.#barred;
    return (this.#breaker.failedProbes ?? -1) >= this.settings.probes ? this.#lastReason : undefined;
  }

  /** Milliseconds until a request of so many tokens may be sent; Infinity where only another's end can tell. */
  waitMs(tokens: number, nowMs: number): number {
    if (this.#barred || this.#concurrency.inFlight >= this.#concurrency.limit)
      return Number.POSITIVE_INFINITY;
    return Math.max(this.#breaker.waitMs(nowMs), this.#ratesWaitMs(tokens, nowMs));
  }

  /** Notes that a request is sent. */
  send(tokens: number, nowMs: number): Attempt {
    this.#takeRates(tokens, nowMs);
    return { breaker: this.#breaker.send(), limit: this.#concurrency.send(), tokens };
  }

  /** Milliseconds until an attempt may leave that missed its turn; at 0 it has another one. */
  secondTurnMs({ tokens }: Attempt, nowMs: number): number {
    const waitMs = this.#ratesWaitMs(tokens, nowMs);
    if (waitMs === 0) this.#takeRates(tokens, nowMs);
    return waitMs;
  }

  /** Notes how a request ended, and wakes who waits. */
  end(attempt: Attempt, verdict: AttemptVerdict, nowMs: number): void {
    this.#learn(attempt, verdict, nowMs);
    for (const listener of this.listeners) listener();
  }

  #ratesWaitMs(tokens: number, nowMs: number): number {
    return Math.max(this.#requests?.waitMs(1, nowMs) ?? 0, this.#tokens?.waitMs(tokens, nowMs) ?? 0);
  }

  #takeRates(tokens: number, nowMs: number): void {
    this.#requests?.take(1, nowMs);
    this.#tokens?.take(tokens, nowMs);
  }

  #learn({ breaker, limit, tokens }: Attempt, verdict: AttemptVerdict, nowMs: number): void {
    if ('reason' in verdict) this.#lastReason = verdict.reason;
    switch (verdict.kind) {
      case 'answered':
        this.#breaker.succeed(breaker);
        this.#concurrency.taken();
        if (verdict.tokens !== undefined) this.#tokens?.take(verdict.tokens - tokens, nowMs);
        return;
      case 'refused': {
        const pauseMs = Math.min(MAX_RETRY_WAIT_MS, verdict.retryAfterMs ?? 0);
        // Refusals that are still under way when nothing is taken any more say nothing of the limits.
        if (this.#breaker.failedProbes === undefined) this.#concurrency.refused(limit);
        else this.#concurrency.end();
        this.#tokens?.take(-tokens, nowMs);
        this.#breaker.fail(breaker, nowMs, pauseMs);
        return;
      }
      case 'faulty':
        this.#concurrency.end();
        this.#breaker.fail(breaker, nowMs);
        return;
      case 'barred':
        this.#concurrency.end();
        this.#breaker.abandon(breaker);
        this.#barred = verdict.reason;
        return;
      case 'abandoned':
        this.#concurrency.end();
        this.#breaker.abandon(breaker);
    }
  }
}
