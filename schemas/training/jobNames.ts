/** The trainers that a job can be planned for. What is known of each stands in its row, `training/trainers`. */
export const trainerNames = ['llama-factory', 'verl'] as const;
/** The name of a trainer. */
export type TrainerName = (typeof trainerNames)[number];

/** The launchers that a job can be started by. What is known of each stands in its row, `training/launchers`. */
export const launcherNames = ['local', 'torchrun', 'slurm', 'ray', 'kubernetes'] as const;
/** The name of a launcher. */
export type LauncherName = (typeof launcherNames)[number];
