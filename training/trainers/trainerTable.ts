import type { Trainer } from '../../contract/trainer.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { llamaFactoryDpoTrainer } from './llamaFactory/llamaFactoryDpoTrainer.ts';
import { llamaFactoryTrainer } from './llamaFactory/llamaFactoryTrainer.ts';
import { trlDpoTrainer } from './trlDpoTrainer.ts';
import { verlTrainer } from './verl/verlTrainer.ts';

/** The trainers of rows; a capability registers its own. */
const trainers: Partial<Record<TrainerName, Trainer>> = {
  'llama-factory': llamaFactoryTrainer,
  verl: verlTrainer,
  'llama-factory-dpo': llamaFactoryDpoTrainer,
  'trl-dpo': trlDpoTrainer,
};

/** All trainers by name. */
export const trainerTable = trainers as Readonly<Record<TrainerName, Trainer>>;

/** Adds trainers of a capability. To be called before any job is planned. */
export function registerTrainers(added: Partial<Record<TrainerName, Trainer>>): void {
  Object.assign(trainers, added);
}
