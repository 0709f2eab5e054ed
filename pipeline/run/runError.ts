import { RunHalted } from '../../contract/errors.ts';

/** Error with an external cause, such as an unreachable endpoint: printed as one line, exit code 1. */
export class RunError extends Error {
  override readonly name = 'RunError';
}

/** Stop requested by the user. */
export class Interrupted extends RunHalted {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }

  /** 128 plus the signal number, as in shells. */
  get exitCode(): number {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}
