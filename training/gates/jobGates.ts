import type { TrainingGate } from '../../contract/trainingGate.ts';
import { pass, refuse, unchecked } from './gateResults.ts';

/** There is something to train on. */
export const rowsGate: TrainingGate = {
  name: 'rows',
  judge: ({ plan: { dataset } }) =>
    dataset.rows > 0
      ? pass
      : refuse(
          `${dataset.folder} has no rows to train on: see what dropped them in report.html beside it, and make more`,
        ),
};

/** An optimiser step takes no more rows than there are. */
export const batchGate: TrainingGate = {
  name: 'batch',
  judge({ plan }) {
    const { rows } = plan.dataset;
    const { rows_per_step: needed } = plan.batch;
    if (rows >= needed && plan.steps.total > 0) return pass;
    return refuse(
      `an optimiser step takes ${needed} rows (nodes x processes x rows a device x accumulation), and the dataset has ${rows}: lower training.gradient_accumulation_steps or training.per_device_batch_size, use fewer GPUs, or make more rows`,
    );
  },
};

/** Nobody means to train a model of billions on a CPU. */
export const gpuGate: TrainingGate = {
  name: 'GPUs',
  judge: ({ plan, gpusGiven }) =>
    plan.gpus_per_node > 0 || gpusGiven
      ? pass
      : refuse(
          'no GPU was found on this machine; train on others with --launcher, or say --gpus-per-node 0 to train on the CPU',
        ),
};

/** No other training is in the job's folder: the trainer would go on from its checkpoints. */
export const folderGate: TrainingGate = {
  name: 'job folder',
  judge: ({ folderProblem }) => (folderProblem === null ? pass : refuse(folderProblem)),
};

/**
 * The disk has room for the checkpoints that the job will keep.
 *
 * @param keepOneCheckpoint `KEY=1` that keeps a single checkpoint
 */
export function diskGate(keepOneCheckpoint: string): TrainingGate {
  return {
    name: 'disk',
    judge({ plan, freeBytes }) {
      const { checkpoint_gb, checkpoints } = plan.estimate;
      if (checkpoint_gb === null) return unchecked("room for checkpoints: the model's size is not known");
      const neededGb = checkpoint_gb * checkpoints;
      const freeGb = freeBytes / 1e9;
      if (freeGb >= neededGb) return pass;
      return refuse(
        `${checkpoints} checkpoints take about ${gb(neededGb)}, and ${gb(freeGb)} are free: free space, keep fewer (--set ${keepOneCheckpoint}), or put runs_dir on another disk`,
      );
    },
  };
}

function gb(value: number): string {
  return `${value.toPrecision(3)} GB`;
}
