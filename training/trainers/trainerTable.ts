import type { Trainer } from '../../contract/trainer.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { llamaFactoryTrainer } from './llamaFactory/llamaFactoryTrainer.ts';
import { verlTrainer } from './verl/verlTrainer.ts';

/** Every trainer, by name. */
export const trainerTable: Readonly<Record<TrainerName, Trainer>> = {
  'llama-factory': llamaFactoryTrainer,
  verl: verlTrainer,
};
