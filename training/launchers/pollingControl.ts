import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/userError.ts';
import type { JobControl, JobState, LogPart, LogRequest } from '../../contract/launcher.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';
import { readFileFrom } from '../follow/readFileFrom.ts';

/** Waits between the tries to reach a scheduler: two minutes in all, longer than a controller's restart takes. */
const RETRY_MS = [2_000, 8_000, 20_000, 30_000, 60_000];

/** Thrown where a scheduler does not answer: the job may be well. */
export class SchedulerUnreachable extends Error {
  override readonly name = 'SchedulerUnreachable';
}

/**
 * Asks a scheduler no more often than it bears, however often its state is asked for, and again when it does
 * not answer, so that a restart of its controller does not end the following of a job of days.
 *
 * @param intervalMs least time between two questions
 */
export function pollingControl(control: JobControl, clock: Clock, intervalMs: number): JobControl {
  let last: { readonly job: string; readonly atMs: number; readonly state: JobState } | undefined;
  return {
    start(request) {
      // It may get the handle of its earlier attempt, whose end is no longer its state.
      last = undefined;
      return control.start(request);
    },
    async state(handle, folder) {
      const job = JSON.stringify([handle, folder]);
      if (last?.job === job && clock.monotonicMs() - last.atMs < intervalMs) return last.state;
      const state = await retry(() => control.state(handle, folder), clock);
      last = { job, atMs: clock.monotonicMs(), state };
      return state;
    },
    async stop(handle, folder) {
      last = undefined;
      await retry(() => control.stop(handle, folder), clock);
    },
    logs: (handle, request) => control.logs(handle, request),
  };
}

async function retry<T>(ask: () => Promise<T>, clock: Clock): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SchedulerUnreachable)) throw error;
      const waitMs = RETRY_MS[attempt];
      if (waitMs === undefined) {
        throw new UserError(
          `${error.message}; the job may still run: ask again with coa-distill train status`,
          {
            cause: error,
          },
        );
      }
      await clock.sleep(waitMs);
    }
  }
}

/** What a job has printed, where its console file lies on a disk that this machine shares. */
export function readConsole(
  _: JobHandle,
  { folder, consoleFile, from, maxBytes }: LogRequest,
): Promise<LogPart> {
  return readFileFrom(join(folder, consoleFile), from, maxBytes);
}
