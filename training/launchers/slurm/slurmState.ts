import type { JobState } from '../../../contract/launcher.ts';

/** What Slurm says of a job, in its own words. */
export interface SlurmJob {
  /** Upper case, as `PENDING`. */
  readonly state: string;
  /** Why it waits or ended; empty where Slurm does not say. */
  readonly reason: string;
  /** `CODE:SIGNAL`. */
  readonly exitCode: string;
}

/** Reads `scontrol --oneliner show job ID`; undefined when it holds no job. */
export function parseScontrol(text: string): SlurmJob | undefined {
  // Names and commands can hold anything, also what looks like a field: these come before all of them but the name.
  const fields = text.slice(text.indexOf(' UserId='));
  const field = (name: string): string | undefined => new RegExp(` ${name}=(\\S*)`).exec(fields)?.[1];
  const state = field('JobState');
  if (state === undefined) return undefined;
  return { state, reason: reasonOf(field('Reason')), exitCode: field('ExitCode') ?? '' };
}

/** Reads `sacct --parsable2 --noheader --allocations --format=State,ExitCode,Reason`; undefined when it has no line. */
export function parseSacct(text: string): SlurmJob | undefined {
  const [line] = text.trim().split('\n');
  if (!line) return undefined;
  const [state = '', exitCode = '', reason] = line.split('|');
  // `CANCELLED by 1000`
  return { state: state.split(' ')[0]!, reason: reasonOf(reason), exitCode };
}

function reasonOf(text: string | undefined): string {
  return text === undefined || text === 'None' || text === '(null)' ? '' : text;
}

/** States of a job that waits, also for somebody to release it. https://slurm.schedmd.com/squeue.html, job state codes */
const queued: ReadonlySet<string> = new Set([
  'PENDING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
  'CONFIGURING',
]);
/** States after which nothing more comes. */
const ended: ReadonlySet<string> = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMEOUT',
  'PREEMPTED',
  'DEADLINE',
  'OUT_OF_MEMORY',
  'NODE_FAIL',
  'BOOT_FAIL',
  'LAUNCH_FAILED',
  'REVOKED',
]);
/** Slurm ends such jobs by SIGTERM, and may give them the exit code 0. */
const terminated: ReadonlySet<string> = new Set(['CANCELLED', 'TIMEOUT', 'PREEMPTED', 'DEADLINE']);
const SIGTERM_EXIT = 143;

/** Where a job is. Every state that is neither waiting nor an end is one of a job that has its machines. */
export function slurmState({ state, reason, exitCode }: SlurmJob): JobState {
  if (queued.has(state)) return { kind: 'queued', reason: reason || state.toLowerCase() };
  if (!ended.has(state)) return { kind: 'running' };
  if (state === 'COMPLETED') return { kind: 'ended', exitCode: 0, outOfMemory: false };
  return {
    kind: 'ended',
    exitCode: failureCode(state, exitCode),
    outOfMemory: state === 'OUT_OF_MEMORY',
    message: `Slurm: the job ended as ${state}${reason === '' ? '' : ` (${reason})`}`,
  };
}

/** The exit code of a job that did not end well; never 0. */
function failureCode(state: string, exitCode: string): number | null {
  const [code = 0, signal = 0] = exitCode.split(':').map(Number);
  if (signal > 0) return 128 + signal;
  if (code > 0) return code;
  return terminated.has(state) ? SIGTERM_EXIT : null;
}
