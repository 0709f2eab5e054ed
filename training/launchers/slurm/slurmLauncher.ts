import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { UserError } from '../../../base/userError.ts';
import type {
  JobControl,
  JobSize,
  JobState,
  Launcher,
  RenderRequest,
  StartRequest,
} from '../../../contract/launcher.ts';
import type { JobHandle } from '../../../schemas/training/jobRecord.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import { jobName } from '../jobName.ts';
import { pollingControl, readConsole, SchedulerUnreachable } from '../pollingControl.ts';
import { type CommandResult, schedulerCommand } from '../schedulerCommand.ts';
import { parseSacct, parseScontrol, type SlurmJob, slurmState } from './slurmState.ts';

/** The batch script that sbatch takes. */
const scriptFile = 'job.sbatch';

/** Controllers serve whole sites: they are asked every few seconds at most. */
const INTERVAL_MS = 5_000;

/** A job of Slurm. */
export const slurmLauncher: Launcher = {
  name: 'slurm',
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: false,
  render: (plan, request) => ({
    files: [{ path: scriptFile, text: batchScript(plan, request), about: 'the batch script for Slurm' }],
    start: { argv: ['sbatch', '--parsable', scriptFile], env: {} },
  }),
  open: (clock) => pollingControl(slurmControl(clock), clock, INTERVAL_MS),
};

/** A job's batch script: one task a machine, put back into the queue when a machine fails or the job is displaced. */
function batchScript(plan: JobSize, { training, run, job }: RenderRequest): string {
  const { partition, account, time, gres, constraint, extra } = training.slurm;
  const options = [
    `--job-name=${jobName(run, job)}`,
    `--nodes=${plan.nodes}`,
    '--ntasks-per-node=1',
    ...(gres === null || plan.gpus_per_node === 0 ? [] : [`--gres=${gres}:${plan.gpus_per_node}`]),
    ...(partition === null ? [] : [`--partition=${partition}`]),
    ...(account === null ? [] : [`--account=${account}`]),
    ...(time === null ? [] : [`--time=${time}`]),
    ...(constraint === null ? [] : [`--constraint=${constraint}`]),
    ...extra,
    // After a requeue the same file is written on.
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

const STOP_POLL_MS = 500;
/** Slurm itself waits half a minute between SIGTERM and SIGKILL (KillWait). */
const STOP_LIMIT_MS = 180_000;

const handleSchema = z.object({ kind: z.literal('slurm'), job_id: z.string() });

const remedy =
  "run this on a machine with Slurm's commands, such as a login node (Debian, Ubuntu: apt-get install slurm-client), or take another --launcher";

/**
 * Starts jobs with `sbatch`. While the controller knows a job it is the one that is asked: only it tells a job that it
 * puts back into its queue from one that has ended. It forgets a job minutes after its end (MinJobAge); then the
 * accounting is asked, where it runs.
 */
export function slurmControl(clock: Clock): JobControl {
  return {
    start,
    state: async (handle, folder) => stateOf(jobIdOf(handle), folder),
    stop: async (handle, folder) => stop(jobIdOf(handle), folder, clock),
    logs: readConsole,
  };
}

async function start({ folder, argv, env }: StartRequest): Promise<JobHandle> {
  const [program, ...args] = argv;
  const { code, stdout, error } = await slurm(program!, args, folder, env);
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
}

async function stateOf(jobId: string, folder: string): Promise<JobState> {
  const job = (await askController(jobId, folder)) ?? (await askAccounting(jobId, folder));
  if (job) return slurmState(job);
  return {
    kind: 'ended',
    exitCode: null,
    outOfMemory: false,
    message: `Slurm knows no job ${jobId} any more`,
  };
}

/** Undefined when the controller has forgotten the job. */
async function askController(jobId: string, folder: string): Promise<SlurmJob | undefined> {
  const { code, stdout, error } = await slurm(
    'scontrol',
    [...clusterOf(jobId), '--oneliner', 'show', 'job', numberOf(jobId)],
    folder,
  );
  if (code === 0) return parseScontrol(stdout);
  if (/Invalid job id/i.test(error)) return undefined;
  throw new SchedulerUnreachable(`Slurm's controller does not answer (${error})`);
}

/** Undefined where no accounting runs, or has no such job. */
async function askAccounting(jobId: string, folder: string): Promise<SlurmJob | undefined> {
  const { code, stdout, error } = await slurm(
    'sacct',
    [
      ...clusterOf(jobId),
      '--jobs',
      numberOf(jobId),
      '--allocations',
      '--noheader',
      '--parsable2',
      '--format=State,ExitCode,Reason',
    ],
    folder,
  );
  if (code === 0) return parseSacct(stdout);
  if (/accounting storage is disabled/i.test(error)) return undefined;
  throw new SchedulerUnreachable(`Slurm's accounting does not answer (${error})`);
}

async function stop(jobId: string, folder: string, clock: Clock): Promise<void> {
  if ((await stateOf(jobId, folder)).kind === 'ended') return;
  const { code, error } = await slurm('scancel', [...clusterOf(jobId), numberOf(jobId)], folder);
  if (code !== 0) throw new UserError(`Slurm job ${jobId} can't be stopped: ${error}`);
  const giveUpAt = clock.monotonicMs() + STOP_LIMIT_MS;
  while ((await stateOf(jobId, folder)).kind !== 'ended') {
    if (clock.monotonicMs() >= giveUpAt) {
      throw new UserError(
        `Slurm job ${jobId} was told to end and has not; look at it with: scontrol show job ${jobId}`,
      );
    }
    await clock.sleep(STOP_POLL_MS);
  }
}

function slurm(
  name: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return schedulerCommand({ name, remedy }, args, { cwd, env });
}

/** `sbatch --parsable` prints `NUMBER;CLUSTER` where there are several clusters. */
function numberOf(jobId: string): string {
  return jobId.split(';')[0]!;
}

function clusterOf(jobId: string): string[] {
  const cluster = jobId.split(';')[1];
  return cluster === undefined ? [] : [`--clusters=${cluster}`];
}

function jobIdOf(handle: JobHandle): string {
  return handleSchema.parse(handle).job_id;
}
