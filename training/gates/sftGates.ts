import type { Trainer } from '../../contract/trainer.ts';
import type { TrainingGate } from '../../contract/trainingGate.ts';
import { argumentGate } from './argumentGate.ts';
import { auditGate, datasetGate } from './datasetGates.ts';
import { batchGate, diskGate, folderGate, gpuGate, rowsGate } from './jobGates.ts';
import { lengthGate, modelGate, tokenizerGate } from './modelGates.ts';
import { rowCountGate, trainerGate } from './trainerGates.ts';

/** What gates say in a trainer's own words. */
export interface GatedTrainer extends Pick<Trainer, 'title' | 'tested' | 'settings' | 'arguments'> {
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
