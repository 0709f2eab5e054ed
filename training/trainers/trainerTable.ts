import type { Trainer } from '../../contract/trainer.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { llamaFactoryDpoTrainer } from './llamaFactory/llamaFactoryDpoTrainer.ts';
import { llamaFactoryTrainer } from './llamaFactory/llamaFactoryTrainer.ts';
import { trlDpoTrainer } from './trlDpoTrainer.ts';
import { verlTrainer } from './verl/verlTrainer.ts';

/** Trainers of rows; capabilities register their own. */
const trainers: Partial<Record<TrainerName, Trainer>> = {
  'llama-factory': llamaFactoryTrainer,
  verl: verlTrainer,
  'llama-factory-dpo': llamaFactoryDpoTrainer,
  'trl-dpo': trlDpoTrainer,
};

export const trainerTable = trainers as Readonly<Record<TrainerName, Trainer>>;

/** Adds trainers of a capability. Call before planning any job. */
export function registerTrainers(added: Partial<Record<TrainerName, Trainer>>): void {
  Object.assign(trainers, added);
}
