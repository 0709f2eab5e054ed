/** Consecutive failures that open the breaker. */
const FAILURES_THAT_OPEN = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/** Ticket of a request in flight. */
export interface BreakerTicket {
  readonly number: number;
  /** True for a probe of the endpoint's recovery. */
  readonly isProbe: boolean;
}

/**
 * Stops sending to a failing endpoint. It opens after five consecutive failures with no older request in flight,
 * which may be slow and good. It admits one probe after a pause that doubles from 1 s to 30 s, or as long as the
 * endpoint asked for, and closes when a probe succeeds.
 */
export class CircuitBreaker {
  #sent = 0;
  readonly #inFlight = new Set<number>();
  #row: { readonly startedAt: number; failures: number } | undefined;
  #open: { untilMs: number; failedProbes: number; probing: boolean } | undefined;

  /** Failed probes since it opened; undefined while closed. */
  get failedProbes(): number | undefined {
    return this.#open?.failedProbes;
  }

  /** Milliseconds until a request may be sent; Infinity during a probe. */
  waitMs(nowMs: number): number {
    if (!this.#open) return 0;
    return this.#open.probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#open.untilMs - nowMs);
  }

  /** Records a sent request. */
  send(): BreakerTicket {
    const ticket = { number: this.#sent++, isProbe: this.#open !== undefined };
    this.#inFlight.add(ticket.number);
    if (this.#open) this.#open.probing = true;
    return ticket;
  }

  /** Records an answer. */
  succeed(ticket: BreakerTicket): void {
    this.#inFlight.delete(ticket.number);
    this.#row = undefined;
    this.#open = undefined;
  }

  /** Records a failure; `pauseMs` is the pause requested by the endpoint. */
  fail(ticket: BreakerTicket, nowMs: number, pauseMs = 0): void {
    this.#inFlight.delete(ticket.number);
    if (this.#open) {
      if (ticket.isProbe) this.#pause(this.#open.failedProbes + 1, nowMs, pauseMs);
      return;
    }
    this.#row ??= { startedAt: this.#sent, failures: 0 };
    this.#row.failures += 1;
    if (this.#row.failures < FAILURES_THAT_OPEN || this.#hasOlder(this.#row.startedAt)) return;
    this.#pause(0, nowMs, pauseMs);
  }

  /** Records an abandoned request. */
  abandon(ticket: BreakerTicket): void {
    this.#inFlight.delete(ticket.number);
    if (ticket.isProbe && this.#open) this.#open.probing = false;
  }

  /** Sets keep insertion order, so the first number is the oldest. */
  #hasOlder(than: number): boolean {
    for (const oldest of this.#inFlight) return oldest < than;
    return false;
  }

  #pause(failedProbes: number, nowMs: number, pauseMs: number): void {
    const ownMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failedProbes);
    this.#open = { untilMs: nowMs + Math.max(ownMs, pauseMs), failedProbes, probing: false };
  }
}
