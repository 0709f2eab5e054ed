import { execFile } from 'node:child_process';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { sha256Hex } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';
import type { JobControl, JobState } from '../../contract/launcher.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';

/** Scheduler that runs jobs on its own machines, which share the job folders with this one. */
export interface Scheduler extends Pick<JobControl, 'start' | 'state'> {
  /** Minimum polling interval, since controllers serve whole sites. */
  readonly intervalMs: number;
  cancel(handle: JobHandle, folder: string): Promise<void>;
  /** Description of a job for messages, with a command to look at it. */
  describe(handle: JobHandle): string;
}

/** Retry intervals for an unreachable scheduler: two minutes in all, longer than a controller's restart. */
const RETRY_MS = [2_000, 8_000, 20_000, 30_000, 60_000];
const STOP_POLL_MS = 500;
/** Slurm itself waits half a minute between SIGTERM and SIGKILL (KillWait). */
const STOP_LIMIT_MS = 180_000;

/** Thrown if a scheduler does not answer, which says nothing about the job. */
export class SchedulerUnreachable extends Error {
  override readonly name = 'SchedulerUnreachable';
}

/**
 * Polls a scheduler at its minimum interval, and retries, so that a restart of its controller does not end the
 * following of a long job.
 */
export function schedulerControl(scheduler: Scheduler, clock: Clock): JobControl {
  let last: { readonly job: string; readonly atMs: number; readonly state: JobState } | undefined;
  const stateOf = (handle: JobHandle, folder: string) => retry(() => scheduler.state(handle, folder), clock);
  return {
    start(request) {
      // A restarted job may get the same handle, so the cached end is dropped.
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

/** State of a job that the scheduler no longer knows. */
export function lostJob(message: string): JobState {
  return { kind: 'ended', exitCode: null, outOfMemory: false, message };
}

/** Timeout of a command; controllers answer within seconds, or not at all. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

export interface CommandResult {
  /** Null on timeout. */
  readonly code: number | null;
  readonly stdout: string;
  /** Printed error on one line. */
  readonly error: string;
}

/** Working directory, additional environment, and remedy for a missing program. */
interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** End of the sentence "... was not found: ". */
  readonly remedy: string;
}

/** Runs a scheduler's command. Throws `UserError` if the program is not installed. */
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

/** Maximum name length that leaves room for Kubernetes' suffixes. */
const MAX_NAME_CHARS = 50;

/**
 * Job name for schedulers: lower-case letters, digits and dashes. A suffix keeps names apart that would become equal.
 */
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
