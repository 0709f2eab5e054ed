import type { Trainer } from '../../contract/trainer.ts';
import type { GateFacts, GateResult, TrainingGate } from '../../contract/trainingGate.ts';
import { lacks, pass, refuse, unchecked } from './gateResults.ts';
import { lengthGate, modelGate, tokenizerGate } from './modelGates.ts';
import { argumentGate, rowCountGate, trainerGate } from './trainerGates.ts';

/** What gates say in a trainer's own words. */
interface GatedTrainer extends Pick<Trainer, 'title' | 'tested' | 'settings' | 'arguments'> {
  /** The key that starts from random weights; null where there is none. */
  readonly randomWeightsKey: string | null;
  /** `KEY=1` that keeps a single checkpoint. */
  readonly keepOneCheckpoint: string;
}

/** The gates of supervised fine-tuning on finished ids and masks. What others build on comes first. */
export function sftGates(trainer: GatedTrainer): readonly TrainingGate[] {
  return [
    rowsGate,
    batchGate,
    argumentGate(trainer),
    gpuGate,
    folderGate,
    datasetGate,
    auditGate,
    modelGate(trainer.title, trainer.randomWeightsKey),
    tokenizerGate,
    trainerGate(trainer.tested),
    rowCountGate,
    lengthGate,
    diskGate(trainer.keepOneCheckpoint),
  ];
}

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
const batchGate: TrainingGate = {
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
      : lacks(
          'no GPU was found on this machine; say how many the machine has on which the job will run (--gpus-per-node 8), train on others with --launcher, or say --gpus-per-node 0 to train on the CPU',
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
      return lacks(
        `${checkpoints} checkpoints take about ${gb(neededGb)}, and ${gb(freeGb)} are free: free space, keep fewer (--set ${keepOneCheckpoint}), or put runs_dir on another disk`,
      );
    },
  };
}

function gb(value: number): string {
  return `${value.toPrecision(3)} GB`;
}

/** The dataset's files are the ones that its manifest describes: none was edited, lost or cut off since the export. */
export const datasetGate = {
  name: 'data files',
  judge({ plan, dataset }: Pick<GateFacts, 'plan' | 'dataset'>): GateResult {
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
  },
} satisfies TrainingGate;

/** The audit finds nothing: every row is read back, tokenised and masked again, and compared with what the files hold. */
export const auditGate: TrainingGate = {
  name: 'masks',
  judge({ plan, dataset }) {
    const { audit } = dataset;
    if (audit.findings === 0) {
      return audit.problem === null ? pass : unchecked(`the audit of the masks: ${audit.problem}`);
    }
    return refuse(
      `the audit finds ${audit.findings} faults in ${plan.dataset.folder}, the first in ${audit.first}; see them all with: coa-distill audit ${plan.dataset.folder}, and export again: the command of the run, with --from export`,
    );
  },
};
