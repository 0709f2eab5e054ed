/** Time that is spent on a page's own requests; waiting for other pages' requests costs none of it. */
export class TimeBudget {
  /** What is left, in milliseconds. */
  leftMs: number;

  constructor(totalMs: number) {
    this.leftMs = totalMs;
  }

  /** Does the work under a signal that is aborted when the time is up (`TimeoutError`), or by the caller's own. */
  within<T>(signal: AbortSignal, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const timeUp = AbortSignal.timeout(Math.max(0, Math.ceil(this.leftMs)));
    return this.spend(() => work(AbortSignal.any([signal, timeUp])));
  }

  /** Does the work and takes its time off. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.leftMs -= performance.now() - began;
    }
  }
}
