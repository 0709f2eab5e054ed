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
  readonly slots: Slots;
  /** Requests that run or wait. */
  users: number;
  /** When the next request may start, in milliseconds of the monotonic clock. */
  nextStart: number;
}

/** Lets requests to hosts take turns, in the order in which they came. */
export class HostTurns {
  readonly #limits: TurnLimits;
  readonly #hosts = new Map<string, HostState>();
  readonly #all: Slots;
  readonly #exempt: ReadonlySet<string>;
  readonly #clock: Clock;

  /** @param exempt - Hosts whose requests never wait: our own servers */
  constructor(limits: TurnLimits, clock: Clock, exempt: ReadonlySet<string> = new Set()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#exempt = exempt;
    this.#all = new Slots(limits.total);
  }

  /** Does the work when the host's turn has come; rejects with the signal's reason while it waits, or as the work does. */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#exempt.has(host)) return work();
    const state = this.#stateOf(host);
    state.users += 1;
    try {
      // The host's turn comes first, so that those who wait for a slow host take no room from the others.
      return await holding(state.slots, signal, async () => {
        await this.#interval(state, signal);
        return holding(this.#all, signal, work);
      });
    } finally {
      state.users -= 1;
      this.#forget(host, state);
    }
  }

  #stateOf(host: string): HostState {
    const known = this.#hosts.get(host);
    if (known) return known;
    const made = { slots: new Slots(this.#limits.perHost), users: 0, nextStart: 0 };
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

async function holding<T>(slots: Slots, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await slots.take(signal);
  try {
    return await work();
  } finally {
    slots.giveBack();
  }
}

/** So many at once; who comes when all are taken waits in line. */
class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a slot, which must be given back; rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await this.#inLine(signal);
  }

  /** The slot goes to the first in line, so that nobody who comes later gets in between. */
  giveBack(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free += 1;
  }

  #inLine(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(go);
    });
  }
}
