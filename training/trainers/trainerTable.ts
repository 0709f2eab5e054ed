import type { Trainer } from '../../contract/trainer.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { llamaFactoryDpoTrainer } from './llamaFactory/llamaFactoryDpoTrainer.ts';
import { llamaFactoryTrainer } from './llamaFactory/llamaFactoryTrainer.ts';
import { trlRlTrainer } from './rl/trlRlTrainer.ts';
import { verlRlTrainer } from './rl/verlRlTrainer.ts';
import { trlDpoTrainer } from './trlDpoTrainer.ts';
import { verlTrainer } from './verl/verlTrainer.ts';

export const trainerTable: Readonly<Record<TrainerName, Trainer>> = {
  'llama-factory': llamaFactoryTrainer,
  verl: verlTrainer,
  'llama-factory-dpo': llamaFactoryDpoTrainer,
  'trl-dpo': trlDpoTrainer,
  'verl-rl': verlRlTrainer,
  'trl-rl': trlRlTrainer,
};
