import { busy, Refusal, stopping } from './refusal.ts';

/** Admits a limited number of requests, each with a way to stop it. */
export class RequestGate {
  readonly #limit: number;
  readonly #inside = new Set<AbortController>();
  readonly #emptied = Promise.withResolvers<void>();
  #isStopping = false;

  /** @param limit requests worked on at once */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#inside.size;
  }

  /** True once no further request is admitted. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Stops admitting requests; running ones continue. Resolves when the last has ended. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#tellWhenEmpty();
    return this.#emptied.promise;
  }

  /** Aborts running requests: each answers 503. */
  abortAll(): void {
    for (const controller of this.#inside) controller.abort(stopping());
  }

  /**
   * Runs a request. Its place is freed only when the work has ended, even if the answer was sent earlier: abandoned
   * work takes memory too.
   * @param clientGone aborted when nobody waits for the answer
   * @throws Refusal 503 when there is no place, 504 after `timeoutMs`, 499 when the client has left
   */
  async pass<T>(
    { timeoutMs, clientGone }: { readonly timeoutMs: number; readonly clientGone: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#isStopping) throw stopping();
    if (this.#inside.size >= this.#limit) throw busy();
    if (clientGone.aborted) throw gone();
    const controller = new AbortController();
    this.#inside.add(controller);
    const timer = setTimeout(() => controller.abort(tooSlow(timeoutMs)), timeoutMs);
    const onGone = () => controller.abort(gone());
    clientGone.addEventListener('abort', onGone, { once: true });
    const working = work(controller.signal);
    const leave = () => {
      this.#inside.delete(controller);
      this.#tellWhenEmpty();
    };
    working.then(leave, leave);
    try {
      return await Promise.race([working, aborted(controller.signal)]);
    } finally {
      clearTimeout(timer);
      clientGone.removeEventListener('abort', onGone);
    }
  }

  #tellWhenEmpty(): void {
    if (this.#isStopping && this.#inside.size === 0) this.#emptied.resolve();
  }
}

function tooSlow(timeoutMs: number): Refusal {
  return new Refusal(504, `there was no answer within ${timeoutMs / 1000} s`);
}

function gone(): Refusal {
  return new Refusal(499, 'the client went away');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
