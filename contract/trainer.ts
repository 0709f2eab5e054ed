import type { JsonObject, JsonValue } from '../base/json.ts';
import type { DatasetFormatName } from '../schemas/config/datasetFormatNames.ts';
import type { TrainingConfig } from '../schemas/config/training.ts';
import type { TrainerName, TrainingMethodName } from '../schemas/training/jobNames.ts';
import type { CrashCause, JobOutput, RlFigures } from '../schemas/training/jobRecord.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';
import type { JobFile } from './launcher.ts';
import type { EnvironmentFacts } from './trainingGate.ts';

/** Definition of a trainer, complete in one row. */
export interface Trainer {
  readonly name: TrainerName;
  /** Name as its authors write it. */
  readonly title: string;
  readonly method: TrainingMethodName;
  readonly format: DatasetFormatName;
  /** Path prefix of the row files it reads; absent: all files of the format. */
  readonly rowFiles?: string;
  /**
   * Asks the server that plays the trainer's tasks; absent for training on rows.
   * @param task whose rollout is scored; undefined: none is
   */
  readonly environmentFacts?: (
    env: Readonly<Record<string, string | undefined>>,
    task: string | undefined,
  ) => Promise<EnvironmentFacts>;
  readonly tested: TestedPackage;
  readonly settings: SettingRules;
  readonly probe: TrainerProbe;
  /** Native configuration of a job, `training.set` included. */
  keysOf(settings: JobSettings): Readonly<Record<string, JsonValue>>;
  /** Steps per epoch, by the trainer's own rule. */
  epochOf(work: EpochWork): EpochSteps;
  /** Size of a step if `training`'s batch sizes and epochs do not determine it, as in reinforcement learning. */
  workOf?(training: TrainingConfig): StepWork;
  /** GPU and disk needs of a job with these keys. */
  footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint;
  /** Remarks about this trainer for a plan, one sentence each. */
  notesOn(plan: Omit<TrainingPlan, 'notes'>): readonly string[];
  /** Files and start command. Pure. */
  commandOf(plan: TrainingPlan): TrainerCommand;
  /** Parses a line of its log (already JSON); undefined for lines of another form. */
  logEntryOf(line: unknown): TrainerLogEntry | undefined;
  readonly checkpoints: CheckpointRules;
  readonly failures: FailureSigns;
  /** Key that initialises random weights; absent if unsupported. */
  readonly randomWeightsKey?: string;
  /** `KEY=1` setting that keeps a single checkpoint. */
  readonly keepOneCheckpoint: string;
}

/** Functions of `training/gates/probe.py` that read dataset and configuration like this trainer. */
export interface TrainerProbe {
  /** Lists the configuration keys of the installed version. */
  readonly keys_of: string;
  readonly load: string;
  /** Options of the loader. */
  readonly options?: JsonObject;
}

/** Python package of a trainer in the tested version. */
export interface TestedPackage {
  /** Name on PyPI. */
  readonly package: string;
  readonly version: string;
  /** First release above the tested range. */
  readonly below: string;
}

/** Limits on the `training` section for a trainer. */
export interface SettingRules {
  /** Supported values of `training.lr_scheduler`. */
  readonly schedulers: readonly TrainingConfig['lr_scheduler'][];
  /** True if it can only stop at the end of an epoch, unless `max_steps` is set. */
  readonly wholeEpochs: boolean;
  readonly modelKey: string;
  /** Pattern of keys allowed in `training.set`, after {@link bareKey}. */
  readonly keyForm: RegExp;
  /** Example key for messages. */
  readonly expectedKey: string;
  /** Strips merge marks from a key; absent: keys have none. */
  bareKey?(key: string): string;
  /** Keys refused in `training.set`, with the reason; a trailing dot covers all keys below. */
  readonly refusedKeys: Readonly<Record<string, string>>;
  /** Problem of values or of key combinations, starting with the key; undefined if valid. */
  problemOf?(set: Readonly<Record<string, JsonValue>>): string | undefined;
}

/** Row files of a trainer and their totals. */
export interface DatasetFiles {
  /** Paths relative to the dataset folder. */
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
  /** Dataset folder relative to the job's folder, with forward slashes. */
  readonly dataset: string;
  /** Absolute paths of the dataset and the job's folder, for trainers whose processes run elsewhere. */
  readonly folders: { readonly dataset: string; readonly job: string };
  readonly cutoffLen: number;
  readonly gpusPerNode: number;
  readonly processesPerNode: number;
  /** Processes on all machines. */
  readonly processes: number;
  readonly steps: TrainingPlan['steps'];
  /** Enough for `max_steps`, if that is set. */
  readonly epochs: number;
  /** Steps between checkpoints; another is saved at the end. */
  readonly saveSteps: number;
  /** Job name, for trainers that need one. */
  readonly run: string;
  readonly job: string;
}

/** Inputs for the number of steps per epoch. */
export interface EpochWork {
  readonly rows: number;
  /** Processes on all machines. */
  readonly processes: number;
  readonly rowsPerDevice: number;
  readonly accumulationSteps: number;
}

/** Composition of steps if rows are tasks to play. */
export interface StepWork {
  readonly rowsPerStep: number;
  readonly epochs: number;
  readonly maxSteps: number | null;
  /** Maximum tokens of a prompt and its response. */
  readonly rowTokens: number;
  /** Further figures of a plan. */
  readonly rl: NonNullable<TrainingPlan['rl']>;
}

/** Optimiser steps of one epoch. */
export interface EpochSteps {
  readonly steps: number;
  /** Rows that no step of an epoch uses. */
  readonly rowsLeftOut: number;
}

/** GPU and disk needs of a job, derived from its trainer's keys. */
export interface TrainingFootprint {
  /** False for LoRA and similar methods. */
  readonly fullFineTuning: boolean;
  /** True if weights, gradients and optimiser states are sharded over all GPUs (ZeRO stage 3, FSDP). */
  readonly sharded: boolean;
  /** Bytes per weight of a full checkpoint. */
  readonly checkpointBytes: number;
  /** False if training cannot resume from its checkpoints. */
  readonly savesOptimizer: boolean;
  /** Maximum checkpoints on disk at a time; Infinity if none is deleted. */
  readonly maxCheckpoints: number;
}

export interface TrainerCommand {
  /** Files to write to the job's folder. */
  readonly files: readonly JobFile[];
  readonly module: string;
  readonly args: readonly string[];
  /** True if torchrun starts its processes; false if a single process needs none. */
  readonly torchrun: boolean;
  /** Lines of bash before it. */
  readonly preparation: string;
  readonly follow: Omit<JobOutput, 'console_file'>;
}

/** Parsed line of a trainer's log. */
export interface TrainerLogEntry {
  readonly step: number;
  /** `undefined` if the line logs no loss, `null` if the loss is NaN. */
  readonly loss?: number | null;
  readonly learningRate: number | null;
  readonly validationLoss: number | null;
  readonly totalSteps: number | null;
  readonly elapsedMs: number | null;
  /** Figures of reinforcement learning. */
  readonly rl?: RlFigures;
}

/** Reads a trainer's checkpoints and prepares them for a resumed job. */
export interface CheckpointRules {
  /** Folder inside a checkpoint that transformers can load; `.` for the checkpoint itself. */
  readonly modelFolder: string;
  /** Prefix of a checkpoint folder's name, before the step. */
  readonly prefix: string;
  /** Steps whose checkpoint is complete. Reads only. */
  wholeSteps(folder: string, steps: readonly number[]): Promise<readonly number[]>;
  /** Other changes needed to resume from a step; absent: none. Reads only. */
  changesFor?(folder: string, resumed: ResumePoint): Promise<ResumeChanges>;
}

/** Step at which a job resumes. */
export interface ResumePoint {
  /** Step of the newest complete checkpoint; 0: from the beginning. */
  readonly fromStep: number;
  readonly stepsPerEpoch: number;
}

/** Changes to a folder of checkpoints; paths are relative to it. */
export interface ResumeChanges {
  readonly renamed: readonly (readonly [from: string, to: string])[];
  readonly written: readonly (readonly [path: string, text: string])[];
}

/** Error messages of a trainer and its libraries. */
export interface FailureSigns {
  /** The first match counts. */
  readonly printed: readonly (readonly [CrashCause, RegExp])[];
  /** Matches an unreadable file: the checkpoint of a resumed job, the model of a fresh one. */
  readonly unreadable: RegExp;
  readonly wrongModel: RegExp;
}
