import {
  type GateFacts,
  type GateResult,
  type Judge,
  lacks,
  pass,
  refuse,
  unchecked,
} from '../../contract/trainingGate.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

/** The dataset's files match the manifest: none was edited, lost or truncated since the export. */
export function judgeDataFiles({ plan, dataset }: Pick<GateFacts, 'plan' | 'dataset'>): GateResult {
  const { folder, manifest_sha256 } = plan.dataset;
  if (dataset.manifestSha256 !== manifest_sha256) {
    return refuse(
      `${folder}/manifest.json changed since the job was planned; plan it again with coa-distill train`,
    );
  }
  const [first, ...others] = dataset.audit.changedFiles;
  if (first === undefined) return pass;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return refuse(
    `${first}${more}; the dataset was changed after the export: restore it, or export again: the command of the run, with --from export`,
  );
}

const gb = (value: number): string => `${value.toPrecision(3)} GB`;

/** GPUs of a usual machine, or fewer if the rows do not keep them busy. */
function gpusFor({ dataset, nodes }: TrainingPlan): number {
  return Math.max(1, Math.min(USUAL_GPUS, Math.floor(dataset.rows / nodes)));
}

/** GPUs of a typical rented training machine. */
const USUAL_GPUS = 8;

export const jobGates = {
  rows: ({ plan: { dataset } }) =>
    dataset.rows > 0
      ? pass
      : refuse(
          `${dataset.folder} has no rows to train on: see what dropped them in report.html beside it, and make more`,
        ),

  /** An optimiser step uses no more rows than exist. */
  batch({ plan }) {
    const { batch, dataset, steps, nodes } = plan;
    if (dataset.rows >= batch.rows_per_step && steps.total > 0) return pass;
    // Each step takes at least one row per process.
    const isLeast = batch.rows_per_device * batch.gradient_accumulation_steps === 1;
    const smaller = isLeast
      ? `use fewer GPUs (--set gpus_per_node=${gpusFor(plan)}${nodes > 1 ? ', or fewer machines' : ''})`
      : 'lower training.gradient_accumulation_steps or training.per_device_batch_size, use fewer GPUs';
    return refuse(
      `an optimiser step takes ${batch.rows_per_step} rows (nodes x processes x rows a device x accumulation), and the dataset has ${dataset.rows}: ${smaller}, or make more rows`,
    );
  },

  /** The same for reinforcement learning tasks. */
  'tasks a step': ({ plan: { batch, dataset, steps } }) =>
    dataset.rows >= batch.rows_per_step && steps.total > 0
      ? pass
      : refuse(
          `a step takes ${batch.rows_per_step} tasks, and the dataset has ${dataset.rows}: lower training.rl.prompts_per_step, or choose more tasks`,
        ),

  /** Training a model of billions on a CPU is surely a mistake. */
  GPUs: ({ plan, gpusGiven }) =>
    plan.gpus_per_node > 0 || gpusGiven
      ? pass
      : lacks(
          `no GPU was found on this machine; say how many the machine has on which the job will run (--set gpus_per_node=${gpusFor(plan)}), train on others with --launcher, or say --set gpus_per_node=0 to train on the CPU`,
        ),

  /** Reinforcement learning on several machines needs a Ray cluster, which the trainer finds itself. */
  machines: ({ plan: { nodes, launcher } }) =>
    nodes === 1 || launcherTable[launcher].hasRay
      ? pass
      : refuse(
          `${nodes} machines have to be one Ray cluster: start Ray on them, and submit the job with --launcher ray`,
        ),

  /** The job's folder contains no other training, whose checkpoints the trainer would resume. */
  'job folder': ({ folderProblem }) => (folderProblem === null ? pass : refuse(folderProblem)),

  'data files': judgeDataFiles,

  /** The check passes: every row is read back, tokenised and masked again, and compared with the files. */
  masks({ plan, dataset: { audit } }) {
    if (audit.findings === 0)
      return audit.problem === null ? pass : unchecked(`the check of the masks: ${audit.problem}`);
    return refuse(
      `the check finds ${audit.findings} faults in ${plan.dataset.folder}, the first in ${audit.first}; see them all with: coa-distill check ${plan.dataset.folder}, and export again: the command of the run, with --from export`,
    );
  },

  /** The disk has room for the checkpoints that the job keeps. */
  disk({ plan, freeBytes }) {
    const { checkpoint_gb, checkpoints } = plan.estimate;
    if (checkpoint_gb === null) return unchecked("room for checkpoints: the model's size is not known");
    const [neededGb, freeGb] = [checkpoint_gb * checkpoints, freeBytes / 1e9];
    if (freeGb >= neededGb) return pass;
    // Even with a limit of one, two exist at a time, since the old one is deleted after the new one is saved.
    const fewer =
      checkpoints > 2 ? `, keep fewer (--set ${trainerTable[plan.trainer].keepOneCheckpoint})` : '';
    return lacks(
      `${checkpoints} checkpoints take about ${gb(neededGb)}, and ${gb(freeGb)} are free: free space${fewer}, or put runs_dir on another disk`,
    );
  },
} satisfies Record<string, Judge>;
