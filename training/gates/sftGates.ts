import type { TestedPackage } from '../../contract/trainer.ts';
import type { TrainingGate } from '../../contract/trainingGate.ts';
import { auditGate, batchGate, datasetGate } from './datasetGates.ts';
import { pass, refuse, unchecked } from './gateResults.ts';
import { lengthGate, modelGate, tokenizerGate } from './modelGates.ts';
import { rowCountGate, trainerGate } from './trainerGates.ts';

/** What gates say in a trainer's own words. */
export interface GatedTrainer {
  /** As its authors write it. */
  readonly title: string;
  readonly tested: TestedPackage;
  /** The key that starts from random weights; null where there is none. */
  readonly randomWeightsKey: string | null;
  /** `KEY=1` that keeps a single checkpoint. */
  readonly keepOneCheckpoint: string;
}

/** The gates of supervised fine-tuning on finished ids and masks. What others build on comes first. */
export function sftGates(trainer: GatedTrainer): readonly TrainingGate[] {
  return [
    batchGate,
    datasetGate,
    auditGate,
    modelGate(trainer.title, trainer.randomWeightsKey),
    tokenizerGate,
    trainerGate(trainer.tested),
    rowCountGate,
    lengthGate,
    diskGate(trainer),
  ];
}

/** The disk has room for the checkpoints that the job will keep. */
function diskGate({ keepOneCheckpoint }: GatedTrainer): TrainingGate {
  return ({ plan, freeBytes }) => {
    const { checkpoint_gb, checkpoints } = plan.estimate;
    if (checkpoint_gb === null) return unchecked("room for checkpoints: the model's size is not known");
    const neededGb = checkpoint_gb * checkpoints;
    const freeGb = freeBytes / 1e9;
    if (freeGb >= neededGb) return pass;
    return refuse(
      `${checkpoints} checkpoints take about ${gb(neededGb)}, and ${gb(freeGb)} are free: free space, keep fewer (--set ${keepOneCheckpoint}), or put runs_dir on another disk`,
    );
  };
}

function gb(value: number): string {
  return `${value.toPrecision(3)} GB`;
}
