import { UserError } from '../../base/userError.ts';
import { RecordFailure, RunHalted } from '../../contract/errors.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';

/**
 * Shares work under one key among concurrent callers. A failure is shared; if only the caller that started it gave
 * up, the next one restarts the work.
 */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  async run(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const shared = this.#underWay.get(key);
      if (shared === undefined) return this.#begin(key, work);
      try {
        return await unlessAborted(shared, signal);
      } catch (error) {
        if (endsForAll(error)) throw error;
        signal.throwIfAborted();
      }
    }
  }

  async #begin(key: string, work: () => Promise<T>): Promise<T> {
    const begun = work();
    this.#underWay.set(key, begun);
    try {
      return await begun;
    } finally {
      this.#underWay.delete(key);
    }
  }
}

function endsForAll(error: unknown): boolean {
  return error instanceof RecordFailure || error instanceof UserError || error instanceof RunHalted;
}
