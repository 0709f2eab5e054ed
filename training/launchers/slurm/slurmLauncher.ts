import { z } from 'zod';
import { UserError } from '../../../base/userError.ts';
import type { JobSize, JobState, Launcher, RenderRequest } from '../../../contract/launcher.ts';
import type { JobHandle } from '../../../schemas/training/jobRecord.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import {
  jobName,
  lostJob,
  type Scheduler,
  SchedulerUnreachable,
  schedulerCommand,
  schedulerControl,
} from '../scheduler.ts';

interface SlurmJob {
  /** Upper case, as `PENDING`. */
  readonly state: string;
  /** Reason for waiting or ending; empty if unknown. */
  readonly reason: string;
  /** `CODE:SIGNAL`. */
  readonly exitCode: string;
}

/** Parses `scontrol --oneliner show job ID`; undefined without a job. */
export function parseScontrol(text: string): SlurmJob | undefined {
  // Names and commands may contain text that looks like a field; these fields come before all of them except the name.
  const fields = text.slice(text.indexOf(' UserId='));
  const field = (name: string): string | undefined => new RegExp(` ${name}=(\\S*)`).exec(fields)?.[1];
  const state = field('JobState');
  if (state === undefined) return undefined;
  return { state, reason: reasonOf(field('Reason')), exitCode: field('ExitCode') ?? '' };
}

/** Parses `sacct --parsable2 --noheader --allocations --format=State,ExitCode,Reason`; undefined for empty output. */
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

/** States of a waiting job, including held ones. https://slurm.schedmd.com/squeue.html, job state codes */
const queued: ReadonlySet<string> = new Set([
  'PENDING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
  'CONFIGURING',
]);
/** Final states. */
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
/** States of jobs that Slurm ended by SIGTERM, possibly with exit code 0. */
const terminated: ReadonlySet<string> = new Set(['CANCELLED', 'TIMEOUT', 'PREEMPTED', 'DEADLINE']);
const SIGTERM_EXIT = 143;

/** Job state. Every state that is neither waiting nor final counts as running. */
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

/** Exit code of a failed job; never 0. */
function failureCode(state: string, exitCode: string): number | null {
  const [code = 0, signal = 0] = exitCode.split(':').map(Number);
  if (signal > 0) return 128 + signal;
  if (code > 0) return code;
  return terminated.has(state) ? SIGTERM_EXIT : null;
}

const scriptFile = 'job.sbatch';

export const slurmLauncher: Launcher = {
  name: 'slurm',
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: false,
  render: (plan, request) => ({
    files: [{ path: scriptFile, text: batchScript(plan, request) }],
    start: { argv: ['sbatch', '--parsable', scriptFile], env: {} },
  }),
  open: (clock) => schedulerControl(slurm, clock),
};

/** Batch script of a job: one task per machine, requeued after a machine failure or preemption. */
function batchScript(plan: JobSize, { training, run, job }: RenderRequest): string {
  const { partition, account, time, gres, extra } = training.slurm;
  const options = [
    `--job-name=${jobName(run, job)}`,
    `--nodes=${plan.nodes}`,
    '--ntasks-per-node=1',
    ...(gres === null || plan.gpus_per_node === 0 ? [] : [`--gres=${gres}:${plan.gpus_per_node}`]),
    ...Object.entries({ partition, account, time }).flatMap(([name, value]) =>
      value === null ? [] : [`--${name}=${value}`],
    ),
    ...extra,
    // After a requeue, output is appended to the same file.
    `--output=${consoleFile}`,
    '--open-mode=append',
    '--requeue',
  ];
  return `#!/usr/bin/env bash
${options.map((option) => `#SBATCH ${option}`).join('\n')}

# Submit it in its folder: sbatch ${scriptFile}
# Put back into the queue it goes on from the newest checkpoint.
set -euo pipefail
cd -- "$SLURM_SUBMIT_DIR"
# Since Slurm 22.05 srun does not take these from sbatch by itself.
if [[ -n "\${SLURM_CPUS_PER_TASK:-}" ]]; then export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"; fi
${plan.nodes > 1 ? rendezvous : ''}
exec srun --kill-on-bad-exit=1 bash ${runScriptFile}
`;
}

const rendezvous = `
# No pipe: scontrol would fail when its reader has seen enough.
read -r first < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
export RDZV_ENDPOINT="$first:$((20000 + SLURM_JOB_ID % 20000))"
export RDZV_ID="$SLURM_JOB_ID-\${SLURM_RESTART_COUNT:-0}"
`;

const handleSchema = z.object({ kind: z.literal('slurm'), job_id: z.string() });

/**
 * Starts jobs with `sbatch`. Queries the controller first, since only it distinguishes a requeued job from an ended
 * one. It forgets jobs minutes after their end (MinJobAge); then the accounting is queried, if it runs.
 */
export const slurm: Scheduler = {
  intervalMs: 5_000,
  async start({ folder, argv, env }) {
    const { code, stdout, error } = await command(argv, folder, env);
    const jobId = stdout.trim().split('\n').at(-1)!;
    if (code === null) {
      throw new UserError(
        `${folder}: sbatch gave no answer (${error}): the job may be queued all the same; look with squeue --me, and cancel it before it is started again`,
      );
    }
    if (code !== 0) throw new UserError(`${folder}: sbatch refused the job: ${error}`);
    if (!/^\d+(;\S+)?$/.test(jobId)) {
      throw new UserError(
        `${folder}: sbatch printed "${jobId}", expected the job's number; look for it with squeue`,
      );
    }
    return { kind: 'slurm', job_id: jobId };
  },
  async state(handle, folder) {
    const job = (await askController(handle, folder)) ?? (await askAccounting(handle, folder));
    return job ? slurmState(job) : lostJob(`Slurm no longer has job ${placeOf(handle).jobId}`);
  },
  async cancel(handle, folder) {
    const { jobId, cluster, number } = placeOf(handle);
    const { code, error } = await command(['scancel', ...cluster, number], folder);
    if (code !== 0) throw new UserError(`Slurm job ${jobId} can't be stopped: ${error}`);
  },
  describe: (handle) => `look at it with scontrol show job ${placeOf(handle).jobId}`,
};

/** Undefined if the controller has forgotten the job. */
async function askController(handle: JobHandle, folder: string): Promise<SlurmJob | undefined> {
  const { cluster, number } = placeOf(handle);
  const asked = ['scontrol', ...cluster, '--oneliner', 'show', 'job', number];
  const { code, stdout, error } = await command(asked, folder);
  if (code === 0) return parseScontrol(stdout);
  if (/Invalid job id/i.test(error)) return undefined;
  throw new SchedulerUnreachable(`Slurm's controller does not answer (${error})`);
}

/** Undefined without accounting or without such a job. */
async function askAccounting(handle: JobHandle, folder: string): Promise<SlurmJob | undefined> {
  const { cluster, number } = placeOf(handle);
  const columns = ['--allocations', '--noheader', '--parsable2', '--format=State,ExitCode,Reason'];
  const { code, stdout, error } = await command(['sacct', ...cluster, '--jobs', number, ...columns], folder);
  if (code === 0) return parseSacct(stdout);
  if (/accounting storage is disabled/i.test(error)) return undefined;
  throw new SchedulerUnreachable(`Slurm's accounting does not answer (${error})`);
}

function command(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const remedy =
    "run this on a machine with Slurm's commands, such as a login node (Debian, Ubuntu: apt-get install slurm-client), or take another --launcher";
  return schedulerCommand(argv, { cwd, env, remedy });
}

/** `sbatch --parsable` prints `NUMBER;CLUSTER` with several clusters. */
function placeOf(handle: JobHandle) {
  const { job_id: jobId } = handleSchema.parse(handle);
  const [number = '', cluster] = jobId.split(';');
  return { jobId, number, cluster: cluster === undefined ? [] : [`--clusters=${cluster}`] };
}
