import type { RunHalted } from '../../contract/errors.ts';

/** Stops a run from inside, beside what the user asks for from outside. */
export class StopSwitch implements StopSignals {
  readonly #own = new AbortController();
  readonly drain: AbortSignal;
  readonly signal: AbortSignal;

  constructor({ drain, signal }: StopSignals) {
    this.signal = signal;
    this.drain = AbortSignal.any([signal, drain, this.#own.signal]);
  }

  /** No new work from now on. The first reason stays. */
  stop(reason: RunHalted): void {
    this.#own.abort(reason);
  }
}

/** How a run is brought to a halt. Both signals are aborted with a `RunHalted`. */
export interface StopSignals {
  /** No new work: what is under way ends. Aborted whenever `signal` is. */
  readonly drain: AbortSignal;
  /** What is under way is given up. */
  readonly signal: AbortSignal;
}
