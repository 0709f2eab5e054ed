import { execFile } from 'node:child_process';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { sha256Hex } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';
import type { JobControl, JobState } from '../../contract/launcher.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';

/** A scheduler that runs jobs on machines of its own. What they print is in their folders, which it shares with this one. */
export interface Scheduler extends Pick<JobControl, 'start' | 'state'> {
  /** Least time between two questions: controllers serve whole sites. */
  readonly intervalMs: number;
  /** Tells a job to end. */
  cancel(handle: JobHandle, folder: string): Promise<void>;
  /** A job for messages, with how to look at it. */
  describe(handle: JobHandle): string;
}

/** Waits between the tries to reach a scheduler: two minutes in all, longer than a controller's restart takes. */
const RETRY_MS = [2_000, 8_000, 20_000, 30_000, 60_000];
const STOP_POLL_MS = 500;
/** Slurm itself waits half a minute between SIGTERM and SIGKILL (KillWait). */
const STOP_LIMIT_MS = 180_000;

/** Thrown where a scheduler does not answer: the job may be well. */
export class SchedulerUnreachable extends Error {
  override readonly name = 'SchedulerUnreachable';
}

/**
 * Asks a scheduler no more often than it bears, however often its state is asked for, and again when it does
 * not answer, so that a restart of its controller does not end the following of a job of days.
 */
export function schedulerControl(scheduler: Scheduler, clock: Clock): JobControl {
  let last: { readonly job: string; readonly atMs: number; readonly state: JobState } | undefined;
  const stateOf = (handle: JobHandle, folder: string) => retry(() => scheduler.state(handle, folder), clock);
  return {
    start(request) {
      // It may get the handle of its earlier attempt, whose end is no longer its state.
      last = undefined;
      return scheduler.start(request);
    },
    async state(handle, folder) {
      const job = JSON.stringify([handle, folder]);
      if (last?.job === job && clock.monotonicMs() - last.atMs < scheduler.intervalMs) return last.state;
      const state = await stateOf(handle, folder);
      last = { job, atMs: clock.monotonicMs(), state };
      return state;
    },
    async stop(handle, folder) {
      last = undefined;
      if ((await stateOf(handle, folder)).kind === 'ended') return;
      await retry(() => scheduler.cancel(handle, folder), clock);
      const giveUpAt = clock.monotonicMs() + STOP_LIMIT_MS;
      while ((await stateOf(handle, folder)).kind !== 'ended') {
        if (clock.monotonicMs() >= giveUpAt)
          throw new UserError(`the job was told to end and has not: ${scheduler.describe(handle)}`);
        await clock.sleep(STOP_POLL_MS);
      }
    },
  };
}

async function retry<T>(ask: () => Promise<T>, clock: Clock): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SchedulerUnreachable)) throw error;
      const waitMs = RETRY_MS[attempt];
      if (waitMs === undefined)
        throw new UserError(
          `${error.message}; the job may still run: ask again with coa-distill train status`,
          { cause: error },
        );
      await clock.sleep(waitMs);
    }
  }
}

/** The end of a job of which nothing more is known. */
export function lostJob(message: string): JobState {
  return { kind: 'ended', exitCode: null, outOfMemory: false, message };
}

/** Controllers answer within seconds, or not at all. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** How a scheduler's command ended. */
export interface CommandResult {
  /** Null where it did not answer in time. */
  readonly code: number | null;
  readonly stdout: string;
  /** The error that it printed, on one line. */
  readonly error: string;
}

/** Where a command runs, what is added to its environment, and what to do where it is not installed. */
interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the sentence "... was not found: ". */
  readonly remedy: string;
}

/** Runs a scheduler's command to its end. Throws `UserError` when the program is not installed. */
export function schedulerCommand(
  [name = '', ...args]: readonly string[],
  { cwd, env, remedy }: CommandOptions,
): Promise<CommandResult> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES };
  return new Promise((resolve, reject) => {
    execFile(name, args, options, (failure, stdout, stderr) => {
      if (failure !== null && systemErrorCode(failure) === 'ENOENT')
        return reject(new UserError(`${name} was not found: ${remedy}`, { cause: failure }));
      const code = failure === null ? 0 : typeof failure.code === 'number' ? failure.code : null;
      const said = stderr.trim() || code !== null ? stderr : failure!.message;
      resolve({ code, stdout, error: said.trim().replace(/\s*\n\s*/g, '; ') });
    });
  });
}

/** Most characters of a Kubernetes name that still leave room for what it puts behind. */
const MAX_NAME_CHARS = 50;

/** A job's name for schedulers: lower-case letters, digits and dashes. Names that would become alike stay apart. */
export function jobName(run: string, job: string): string {
  const plain = `${run}-${job}`;
  const name = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  if (name === plain && name.length <= MAX_NAME_CHARS) return name;
  const hash = sha256Hex(plain).slice(0, 8);
  return `${name.slice(0, MAX_NAME_CHARS - 9) || 'job'}-${hash}`.replace(/-+/g, '-');
}
