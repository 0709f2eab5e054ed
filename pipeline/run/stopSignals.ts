/** How a run is brought to a halt. Both signals are aborted with a `RunHalted`. */
export interface StopSignals {
  /** No new work: what is under way ends. Aborted whenever `signal` is. */
  readonly drain: AbortSignal;
  /** What is under way is given up. */
  readonly signal: AbortSignal;
}
