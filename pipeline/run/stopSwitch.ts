import type { RunHalted } from '../../contract/errors.ts';

/** Stops a run from inside, in addition to user signals. */
export class StopSwitch implements StopSignals {
  readonly #own = new AbortController();
  readonly drain: AbortSignal;
  readonly signal: AbortSignal;

  constructor({ drain, signal }: StopSignals) {
    this.signal = signal;
    this.drain = AbortSignal.any([signal, drain, this.#own.signal]);
  }

  /** Starts draining. The first reason is kept. */
  stop(reason: RunHalted): void {
    this.#own.abort(reason);
  }
}

/** Signals that stop a run. Both abort with a `RunHalted`. */
export interface StopSignals {
  /** Drain: no new work, running work finishes. Also aborted by `signal`. */
  readonly drain: AbortSignal;
  /** Stop: running work is abandoned. */
  readonly signal: AbortSignal;
}
