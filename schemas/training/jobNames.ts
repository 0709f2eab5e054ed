/** The trainers that a job can be planned for. What is known of each stands in its row, `training/trainers`. */
export const trainerNames = [
  'llama-factory',
  'verl',
  'llama-factory-dpo',
  'trl-dpo',
  'verl-rl',
  'trl-rl',
] as const;
export type TrainerName = (typeof trainerNames)[number];

/** Trainers of reinforcement learning have names of one form. */
export const isRlTrainer = (name: TrainerName) => name.endsWith('-rl');

/** The launchers that a job can be started by. What is known of each stands in its row, `training/launchers`. */
export const launcherNames = ['local', 'torchrun', 'slurm', 'ray', 'kubernetes'] as const;
export type LauncherName = (typeof launcherNames)[number];

/** How a student is made: from finished texts, from pairs of a better and a worse one, or from rewards. */
export const trainingMethodNames = ['sft', 'preference', 'rl'] as const;
export type TrainingMethodName = (typeof trainingMethodNames)[number];
