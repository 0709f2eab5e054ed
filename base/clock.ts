/** Time source, injected so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds on a monotonic clock. */
  monotonicMs(): number;
  /** Resolves after a delay, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
