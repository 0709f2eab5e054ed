/** Supported trainers; `training/trainers` defines each. */
export const trainerNames = [
  'llama-factory',
  'verl',
  'llama-factory-dpo',
  'trl-dpo',
  'verl-rl',
  'trl-rl',
] as const;
export type TrainerName = (typeof trainerNames)[number];

/** True for trainers of reinforcement learning, by their name. */
export const isRlTrainer = (name: TrainerName) => name.endsWith('-rl');

/** Supported launchers; `training/launchers` defines each. */
export const launcherNames = ['local', 'torchrun', 'slurm', 'ray', 'kubernetes'] as const;
export type LauncherName = (typeof launcherNames)[number];

/** Training methods: from finished texts, from pairs of a better and a worse one, or from rewards. */
export const trainingMethodNames = ['sft', 'preference', 'rl'] as const;
export type TrainingMethodName = (typeof trainingMethodNames)[number];
