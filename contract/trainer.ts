import type { JsonObject, JsonValue } from '../base/json.ts';
import type { DatasetFormatName } from '../schemas/config/datasetFormatNames.ts';
import type { TrainingConfig } from '../schemas/config/training.ts';
import type { TrainerName, TrainingMethodName } from '../schemas/training/jobNames.ts';
import type { CrashCause, JobOutput, RlFigures } from '../schemas/training/jobRecord.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';
import type { JobFile } from './launcher.ts';
import type { EnvironmentFacts } from './trainingGate.ts';

/** A trainer: everything that is known of it, in one row. */
export interface Trainer {
  readonly name: TrainerName;
  /** As its authors write it. */
  readonly title: string;
  readonly method: TrainingMethodName;
  /** The dataset format that it reads. */
  readonly format: DatasetFormatName;
  /** Where the files of rows are that it reads, a beginning of their paths; absent: all of the format's. */
  readonly rowFiles?: string;
  /**
   * Asks the server that plays the trainer's tasks; absent where rows are learned from.
   *
   * @param task whose rollout is scored; undefined: none is
   */
  readonly environmentFacts?: (
    env: Readonly<Record<string, string | undefined>>,
    task: string | undefined,
  ) => Promise<EnvironmentFacts>;
  readonly tested: TestedPackage;
  readonly settings: SettingRules;
  readonly probe: TrainerProbe;
  /** Its configuration for a job, under its own names, `training.set` included. */
  keysOf(settings: JobSettings): Readonly<Record<string, JsonValue>>;
  /** The steps of an epoch that it will take and log, by its own rule. */
  epochOf(work: EpochWork): EpochSteps;
  /** How much a step is where `training`'s batch sizes and epochs say nothing of it: of reinforcement learning. */
  workOf?(training: TrainingConfig): StepWork;
  /** What a job with these keys takes of GPUs and disks. */
  footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint;
  /** What a reader of a plan should know of this trainer, one sentence each. */
  notesOn(plan: Omit<TrainingPlan, 'notes'>): readonly string[];
  /** Its files and the command that starts it. Pure. */
  commandOf(plan: TrainingPlan): TrainerCommand;
  /** Reads a line of its log, parsed as JSON; undefined for one that is not of its form. */
  logEntryOf(line: unknown): TrainerLogEntry | undefined;
  readonly checkpoints: CheckpointRules;
  readonly failures: FailureSigns;
  /** Its key that starts from random weights; absent where it has none. */
  readonly randomWeightsKey?: string;
  /** `KEY=1` that keeps a single checkpoint. */
  readonly keepOneCheckpoint: string;
}

/** Functions of `training/gates/probe.py` that read the dataset and the configuration as this trainer does. */
export interface TrainerProbe {
  /** Gives the keys of the installed version's configuration. */
  readonly keys_of: string;
  /** Loads the dataset. */
  readonly load: string;
  /** For the loader. */
  readonly options?: JsonObject;
}

/** A trainer's Python package in the version that the tests run. */
export interface TestedPackage {
  /** Its name at PyPI. */
  readonly package: string;
  readonly version: string;
  /** The first later release of which nothing is known. */
  readonly below: string;
}

/** What the `training` section may ask of a trainer. */
export interface SettingRules {
  /** The schedules of `training.lr_scheduler` that it knows. */
  readonly schedulers: readonly TrainingConfig['lr_scheduler'][];
  /** It can't end in the middle of an epoch, unless `max_steps` says where. */
  readonly wholeEpochs: boolean;
  /** The key of its own configuration that names the model. */
  readonly modelKey: string;
  /** Form of the keys that `training.set` may hold, without what {@link bareKey} takes off. */
  readonly keyForm: RegExp;
  /** A key for example, for messages. */
  readonly expectedKey: string;
  /** A key without marks that only say how it is merged; absent: the key itself. */
  bareKey?(key: string): string;
  /** Keys that `training.set` may not hold, with the reason; a name that ends with a dot stands for all below it. */
  readonly refusedKeys: Readonly<Record<string, string>>;
  /** What is wrong with values or with keys beside each other, beginning with the key; undefined where nothing is. */
  problemOf?(set: Readonly<Record<string, JsonValue>>): string | undefined;
}

/** The files of rows that a trainer reads, and what they hold. */
export interface DatasetFiles {
  /** Paths inside the dataset folder. */
  readonly train: readonly string[];
  readonly validation: readonly string[];
  readonly rows: number;
  readonly validationRows: number;
  /** Tokens of the training split. */
  readonly tokens: number;
  readonly trainedTokens: number;
}

export interface JobSettings {
  readonly training: TrainingConfig;
  readonly files: DatasetFiles;
  /** The dataset folder as seen from the job's folder, with forward slashes. */
  readonly dataset: string;
  /** The same and the job's folder, absolute: for trainers whose processes run elsewhere. */
  readonly folders: { readonly dataset: string; readonly job: string };
  readonly cutoffLen: number;
  readonly gpusPerNode: number;
  readonly processesPerNode: number;
  /** Processes of all machines. */
  readonly processes: number;
  readonly steps: TrainingPlan['steps'];
  /** As many as `max_steps` takes, where that is given. */
  readonly epochs: number;
  /** Steps between two checkpoints; one is saved at the end besides. */
  readonly saveSteps: number;
  /** Names the job where the trainer wants a name. */
  readonly run: string;
  readonly job: string;
}

/** What the number of steps of an epoch depends on. */
export interface EpochWork {
  readonly rows: number;
  /** Processes of all machines. */
  readonly processes: number;
  readonly rowsPerDevice: number;
  readonly accumulationSteps: number;
}

/** What steps are made of where rows are tasks that are played. */
export interface StepWork {
  readonly rowsPerStep: number;
  readonly epochs: number;
  readonly maxSteps: number | null;
  /** Most tokens of a prompt and what is behind it. */
  readonly rowTokens: number;
  /** What a plan shows besides. */
  readonly rl: NonNullable<TrainingPlan['rl']>;
}

/** Optimiser steps of one epoch. */
export interface EpochSteps {
  readonly steps: number;
  /** Rows that no step of an epoch sees. */
  readonly rowsLeftOut: number;
}

/** What a job takes of GPUs and disks, as its trainer's keys say. */
export interface TrainingFootprint {
  /** False for LoRA and its kind. */
  readonly fullFineTuning: boolean;
  /** Weights, gradients and optimiser states are spread over all GPUs (ZeRO stage 3, FSDP). */
  readonly sharded: boolean;
  /** Bytes that a full checkpoint takes for each weight. */
  readonly checkpointBytes: number;
  /** False for checkpoints that no training can resume from. */
  readonly savesOptimizer: boolean;
  /** Most checkpoints that are there at a time; Infinity where none is ever deleted. */
  readonly maxCheckpoints: number;
}

/** How a trainer is started, whatever starts it. */
export interface TrainerCommand {
  /** Files that it reads, in the job's folder. */
  readonly files: readonly JobFile[];
  /** Python module that is run on every process. */
  readonly module: string;
  /** Its arguments, unquoted. */
  readonly args: readonly string[];
  /** Whether torchrun starts its processes; false where one process needs none. */
  readonly torchrun: boolean;
  /** Lines of bash in front of it. */
  readonly preparation: string;
  readonly follow: Omit<JobOutput, 'console_file'>;
}

/** What a line of a trainer's log says. */
export interface TrainerLogEntry {
  readonly step: number;
  /** Absent where the line has no training loss at all; null where it is not a number. */
  readonly loss?: number | null;
  readonly learningRate: number | null;
  readonly validationLoss: number | null;
  readonly totalSteps: number | null;
  readonly elapsedMs: number | null;
  /** Of reinforcement learning. */
  readonly rl?: RlFigures;
}

/** How a trainer's checkpoints are read, and made ready for a resumed job. */
export interface CheckpointRules {
  /** Inside a checkpoint, the folder with the model as transformers loads it; `.` where it is the checkpoint itself. */
  readonly modelFolder: string;
  /** What stands before the step in the name of a checkpoint's folder. */
  readonly prefix: string;
  /** Which of the steps that are there have a checkpoint that was saved to its end. Reads only. */
  wholeSteps(folder: string, steps: readonly number[]): Promise<readonly number[]>;
  /** What else has to change so that the trainer resumes from a step; absent: nothing. Reads only. */
  changesFor?(folder: string, resumed: ResumePoint): Promise<ResumeChanges>;
}

/** Where a job resumes. */
export interface ResumePoint {
  /** Step of the newest whole checkpoint; 0: from the beginning. */
  readonly fromStep: number;
  readonly stepsPerEpoch: number;
}

/** What is done to a folder of checkpoints; paths inside it. */
export interface ResumeChanges {
  readonly renamed: readonly (readonly [from: string, to: string])[];
  readonly written: readonly (readonly [path: string, text: string])[];
}

/** What a trainer and its libraries print when they fail. */
export interface FailureSigns {
  /** The first that matches counts. */
  readonly printed: readonly (readonly [CrashCause, RegExp])[];
  /** A file that can't be read: the checkpoint of a resumed job, the model of a fresh one. */
  readonly unreadable: RegExp;
  readonly wrongModel: RegExp;
}
