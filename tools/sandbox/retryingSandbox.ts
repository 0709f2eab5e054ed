import { setTimeout as delay } from 'node:timers/promises';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox } from '../../contract/sandbox.ts';

/** Waits before further tries; after the last the failure stands. */
const WAITS_MS: readonly number[] = [100, 1_000];

/**
 * Tries a program again that failed for the sandbox's own reasons, as where somebody ended the sandbox from outside. A
 * program leaves nothing behind in a sandbox, so another try is like the first. The failure says how many there were.
 */
export function retryingSandbox(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async run(program, signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await sandbox.run(program, signal);
        } catch (error) {
          if (!(error instanceof RecordFailure) || !error.failure.retryable) throw error;
          const waitMs = WAITS_MS[tries - 1];
          if (waitMs === undefined) throw failedAgain(error, tries);
          await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
    },
  };
}

function failedAgain(error: RecordFailure, tries: number): RecordFailure {
  const { cause, evidence } = error.failure;
  return new RecordFailure(
    cause,
    `${error.message} (${tries} tries)`,
    { ...evidence, tries },
    { cause: error },
  );
}
