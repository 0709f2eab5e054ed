import type { AttemptVerdict, EndpointMember } from '../../contract/endpointPool.ts';
import { MAX_RETRY_WAIT_MS } from '../../contract/retryPolicy.ts';
import { type BreakerTicket, CircuitBreaker } from './circuitBreaker.ts';
import { ConcurrencyLimit, type LimitTicket } from './concurrencyLimit.ts';
import { RateBucket } from './rateBucket.ts';

/** Configured limits of a member. */
export interface MemberSettings extends EndpointMember {
  /** Maximum concurrent requests. */
  readonly concurrency: number;
  /** Slots of its server, each with the conversation of one task; absent: unknown. */
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
  /** Tokens counted towards the limit per minute. */
  readonly tokens: number;
}

/** Limits of one address and key: the configured ones, and those learned from refusals. */
export class MemberLimits {
  readonly settings: MemberSettings;
  /** Called when a slot becomes free; one for each pool that shares the member. */
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

  get inFlight(): number {
    return this.#concurrency.inFlight;
  }

  /** Further requests possible now by concurrency; 0 while unhealthy. Ignores rates. */
  get freeSlots(): number {
    return this.isHealthy ? Math.max(0, this.#concurrency.limit - this.#concurrency.inFlight) : 0;
  }

  /** True while its breaker is closed and its key is accepted. */
  get isHealthy(): boolean {
    return this.#barred === undefined && this.#breaker.failedProbes === undefined;
  }

  /** Reason why it is unusable: its key is refused, or its maximum of probes failed. */
  get downReason(): Error | undefined {
    if (this.#barred) return this.#barred;
    return (this.#breaker.failedProbes ?? -1) >= this.settings.probes ? this.#lastReason : undefined;
  }

  /** Milliseconds until a request of this many tokens may be sent; Infinity until another request ends. */
  waitMs(tokens: number, nowMs: number): number {
    if (this.#barred || this.#concurrency.inFlight >= this.#concurrency.limit)
      return Number.POSITIVE_INFINITY;
    return Math.max(this.#breaker.waitMs(nowMs), this.#ratesWaitMs(tokens, nowMs));
  }

  /** Records a sent request. */
  send(tokens: number, nowMs: number): Attempt {
    this.#takeRates(tokens, nowMs);
    return { breaker: this.#breaker.send(), limit: this.#concurrency.send(), tokens };
  }

  /** Milliseconds until a late attempt may leave; at 0 it has another turn. */
  secondTurnMs({ tokens }: Attempt, nowMs: number): number {
    const waitMs = this.#ratesWaitMs(tokens, nowMs);
    if (waitMs === 0) this.#takeRates(tokens, nowMs);
    return waitMs;
  }

  /** Records the end of a request and wakes waiting ones. */
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
        // Refusals in flight when all sending has stopped say nothing about the limits.
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
