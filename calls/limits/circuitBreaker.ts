/** Failures in a row that open it. */
const FAILURES_THAT_OPEN = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/** A request in flight, as far as the breaker has to know it. */
export interface BreakerTicket {
  /** Place among all requests sent, from 0. */
  readonly number: number;
  /** True when it is sent to find out whether the endpoint is back. */
  readonly isProbe: boolean;
}

/**
 * Stops sending to an endpoint that only fails. It opens when five attempts in a row have failed and nothing is left
 * in flight from before they began, which may be slow and good. It lets one probe through after a pause that doubles
 * from 1 s to 30 s, or is as long as the endpoint asked for, and closes when a probe goes well.
 */
export class CircuitBreaker {
  #sent = 0;
  readonly #inFlight = new Set<number>();
  #row: { readonly startedAt: number; failures: number } | undefined;
  #open: { untilMs: number; failedProbes: number; probing: boolean } | undefined;

  /** Probes that have failed since it opened; undefined while it is closed. */
  get failedProbes(): number | undefined {
    return this.#open?.failedProbes;
  }

  /** Milliseconds until a request may be sent; Infinity while a probe is under way. */
  waitMs(nowMs: number): number {
    if (!this.#open) return 0;
    return this.#open.probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#open.untilMs - nowMs);
  }

  /** Notes that a request is sent. */
  send(): BreakerTicket {
    const ticket = { number: this.#sent++, isProbe: this.#open !== undefined };
    this.#inFlight.add(ticket.number);
    if (this.#open) this.#open.probing = true;
    return ticket;
  }

  /** Notes an answer. */
  succeed(ticket: BreakerTicket): void {
    this.#inFlight.delete(ticket.number);
    this.#row = undefined;
    this.#open = undefined;
  }

  /** Notes a failure; `pauseMs` is how long the endpoint asked to be left alone. */
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

  /** Notes a request that was given up. */
  abandon(ticket: BreakerTicket): void {
    this.#inFlight.delete(ticket.number);
    if (ticket.isProbe && this.#open) this.#open.probing = false;
  }

  /** Sets hold numbers in the order in which they were added, so the first is the oldest. */
  #hasOlder(than: number): boolean {
    for (const oldest of this.#inFlight) return oldest < than;
    return false;
  }

  #pause(failedProbes: number, nowMs: number, pauseMs: number): void {
    const ownMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failedProbes);
    this.#open = { untilMs: nowMs + Math.max(ownMs, pauseMs), failedProbes, probing: false };
  }
}
