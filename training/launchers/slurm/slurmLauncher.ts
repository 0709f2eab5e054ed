import type { JobSize, Launcher, RenderRequest } from '../../../contract/launcher.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import { jobName } from '../jobName.ts';
import { pollingControl } from '../pollingControl.ts';
import { slurmControl } from './slurmControl.ts';

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
