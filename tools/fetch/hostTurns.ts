import PQueue from 'p-queue';
import type { Clock } from '../../base/clock.ts';

/** Limits that protect hosts. */
export interface TurnLimits {
  /** Maximum concurrent requests to one host. */
  readonly perHost: number;
  /** Minimum milliseconds between the starts of two requests to a host. */
  readonly intervalMs: number;
  /** Maximum concurrent requests to all hosts. */
  readonly total: number;
}

interface HostState {
  readonly queue: PQueue;
  /** Running and waiting requests. */
  users: number;
  /** Earliest start of the next request, in milliseconds of the monotonic clock. */
  nextStart: number;
}

/** Schedules requests to hosts in FIFO order. */
export class HostTurns {
  readonly #limits: TurnLimits;
  readonly #hosts = new Map<string, HostState>();
  readonly #all: PQueue;
  readonly #exempt: ReadonlySet<string>;
  readonly #clock: Clock;

  /** @param exempt - Hosts whose requests never wait: our own servers */
  constructor(limits: TurnLimits, clock: Clock, exempt: ReadonlySet<string> = new Set()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#exempt = exempt;
    this.#all = new PQueue({ concurrency: limits.total });
  }

  /**
   * Runs work when the host's turn comes; rejects with the signal's reason while waiting, or with the work's error.
   */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#exempt.has(host)) return work();
    const state = this.#stateOf(host);
    state.users += 1;
    try {
      // The host's turn comes first, so that requests to a slow host take no room from others.
      const turn = async () => {
        await this.#interval(state, signal);
        return this.#all.add(work, { signal });
      };
      return await state.queue.add(turn, { signal });
    } finally {
      state.users -= 1;
      this.#forget(host, state);
    }
  }

  #stateOf(host: string): HostState {
    const known = this.#hosts.get(host);
    if (known) return known;
    const made = {
      queue: new PQueue({ concurrency: this.#limits.perHost }),
      users: 0,
      nextStart: 0,
    };
    this.#hosts.set(host, made);
    return made;
  }

  async #interval(state: HostState, signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonicMs();
    const start = Math.max(now, state.nextStart);
    state.nextStart = start + this.#limits.intervalMs;
    if (start > now) await this.#clock.sleep(start - now, signal);
  }

  /** Forgets an unused host once its next request may start. */
  #forget(host: string, state: HostState): void {
    const forget = () => {
      if (state.users === 0 && this.#hosts.get(host) === state) this.#hosts.delete(host);
    };
    const left = state.nextStart - this.#clock.monotonicMs();
    if (left > 0) setTimeout(forget, left).unref();
    else forget();
  }
}
