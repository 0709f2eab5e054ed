import type { LauncherName, TrainerName, TrainingMethodName } from '../../schemas/training/jobNames.ts';
import type { TrainingPresetName } from '../../schemas/training/presets.ts';

export interface TrainCommandOptions {
  /** Folder under `train/` of the run; absent: the method's name. */
  readonly job?: string;
  readonly method?: TrainingMethodName;
  /** Its `training` section replaces the one that the run was made with. */
  readonly config?: string;
  readonly trainer?: TrainerName;
  readonly launcher?: LauncherName;
  readonly model?: string;
  readonly preset?: TrainingPresetName;
  readonly nodes?: number;
  readonly gpusPerNode?: number;
  /** `key=value` texts, in order. */
  readonly set: readonly string[];
  readonly python?: string;
  readonly dryRun?: true;
  readonly renderOnly?: true;
  readonly detach?: true;
  readonly json?: true;
}
