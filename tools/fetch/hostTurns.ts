import PQueue from 'p-queue';
import type { Clock } from '../../base/clock.ts';

/** How gently hosts are treated. */
export interface TurnLimits {
  /** Most requests at once to one host. */
  readonly perHost: number;
  /** Least time from the start of one request to a host to the start of the next, in milliseconds. */
  readonly intervalMs: number;
  /** Most requests at once to all hosts together. */
  readonly total: number;
}

interface HostState {
  readonly queue: PQueue;
  /** Requests that run or wait. */
  users: number;
  /** When the next request may start, in milliseconds of the monotonic clock. */
  nextStart: number;
}

/** Lets requests to hosts take turns, in the order in which they came. */
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

  /** Does the work when the host's turn has come; rejects with the signal's reason while it waits, or as the work does. */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#exempt.has(host)) return work();
    const state = this.#stateOf(host);
    state.users += 1;
    try {
      // The host's turn comes first, so that those who wait for a slow host take no room from the others.
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

  /** A host that nobody asks is forgotten once its next request may start. */
  #forget(host: string, state: HostState): void {
    const forget = () => {
      if (state.users === 0 && this.#hosts.get(host) === state) this.#hosts.delete(host);
    };
    const left = state.nextStart - this.#clock.monotonicMs();
    if (left > 0) setTimeout(forget, left).unref();
    else forget();
  }
}
