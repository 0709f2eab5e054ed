import type { Manifest } from '../schemas/manifest.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';

/** What a rule says that a job must keep before it may start. */
export type GateResult =
  | { readonly kind: 'pass' }
  /** The message says what is wrong and what to change. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** The job is sound, and this machine can't start it. The message says what is missing and how to get it. */
  | { readonly kind: 'lacks'; readonly message: string }
  /** The message says what could not be looked at, and why. */
  | { readonly kind: 'unchecked'; readonly message: string };

/** The gate lets the job through. */
export const pass: GateResult = { kind: 'pass' };
export const refuse = (message: string): GateResult => ({ kind: 'refuse', message });
export const lacks = (message: string): GateResult => ({ kind: 'lacks', message });
export const unchecked = (message: string): GateResult => ({ kind: 'unchecked', message });

/** A gate. Pure. */
export type Judge = (facts: GateFacts) => GateResult;

/** What gates judge a job by, gathered before anything starts. */
export interface GateFacts {
  readonly plan: TrainingPlan;
  /** Keys of the trainer's own configuration that the user gave (`training.set`). */
  readonly setKeys: readonly string[];
  /** Whether somebody said how many GPUs there are, so that a job without any is meant. */
  readonly gpusGiven: boolean;
  /** Why the job's folder can't be used, with what to do; null where it can. */
  readonly folderProblem: string | null;
  readonly dataset: DatasetFacts;
  /** Null for a model that is not on this machine: it is given by its name, or lies where only the job's machines see it. */
  readonly model: ModelFolderFacts | null;
  /** Null where the trainer's Python is on another machine, or in an image, or the dataset is not to be loaded. */
  readonly trainer: TrainerFacts | null;
  /** Where the job's folder is. */
  readonly freeBytes: number;
  /** The server that plays tasks, for reinforcement learning; null for other methods. */
  readonly environment: EnvironmentFacts | null;
}

/** What the environment server says to this machine. */
export interface EnvironmentFacts {
  /** Of `COA_RL_URL`; null where it is not set. */
  readonly url: string | null;
  /** Why it can't be used; null where it can. */
  readonly problem: string | null;
  /** Null where it does not answer. */
  readonly limits: { readonly max_steps: number; readonly max_response_tokens: number } | null;
  /** Why a probe got no verdict; null where it got one, or nothing was asked. */
  readonly judgeProblem: string | null;
}

/** What the dataset's folder holds. */
export interface DatasetFacts {
  readonly manifestSha256: string;
  readonly audit: AuditFacts;
  readonly tokenizerName: string;
}

/** What an audit of the dataset found. */
export interface AuditFacts {
  /** Why it could not be audited; null when it was. */
  readonly problem: string | null;
  /** Faults of rows and masks. Files that were changed are told apart. */
  readonly findings: number;
  /** The first fault: where, and what it is; empty where there is none. */
  readonly first: string;
  /** Files that are not as the manifest says, each with what is wrong with it. */
  readonly changedFiles: readonly string[];
}

/**
 * Audits every row of a dataset. Files are compared with the manifest also where the rows can't be audited.
 *
 * @param tokenizer name or path of the dataset's tokenizer; undefined: the name that the manifest has
 */
export type DatasetAuditor = (
  folder: string,
  manifest: Manifest,
  tokenizer: string | undefined,
) => Promise<AuditFacts>;

/** What a model's folder holds, as far as a training needs it. */
export interface ModelFolderFacts {
  /** Why it is not a model's folder; null when it is one. */
  readonly problem: string | null;
  /** Names of files of weights that are not there; empty when all are. */
  readonly missingWeights: readonly string[];
  /** `max_position_embeddings` of its configuration; null where it has none. */
  readonly maxPositions: number | null;
  readonly tokenizer: TokenizerComparison;
}

/** A model's tokenizer beside the dataset's. */
export type TokenizerComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'differs'; readonly difference: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What the trainer's Python says. */
export interface TrainerFacts {
  /** The executable that was asked. */
  readonly python: string;
  /** Why it could not be asked; null when it could. */
  readonly problem: string | null;
  /** Versions by package, of those that are installed. */
  readonly versions: Readonly<Record<string, string>>;
  /** The keys of the installed trainer's configuration; null where no key was asked about, or they can't be read. */
  readonly arguments: readonly string[] | null;
  /** The dataset as the trainer's own loading sees it; null when that failed, or the trainer is not installed. */
  readonly loaded: {
    readonly rows: number;
    readonly validationRows: number;
    /** Most tokens of a row. */
    readonly longest: number;
    /** Id of the first, where rows are tasks that are played. */
    readonly firstTask?: string;
  } | null;
  readonly loadError: string | null;
}
