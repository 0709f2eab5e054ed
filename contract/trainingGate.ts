import type { Manifest } from '../schemas/manifest.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';

/** Result of a rule that a job must pass before it starts. */
export type GateResult =
  | { readonly kind: 'pass' }
  /** The message says what is wrong and what to change. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** The job is valid, but this machine cannot start it. The message says what is missing and how to get it. */
  | { readonly kind: 'lacks'; readonly message: string }
  /** The message says what could not be checked, and why. */
  | { readonly kind: 'unchecked'; readonly message: string };

/** Result of a gate that passes. */
export const pass: GateResult = { kind: 'pass' };
export const refuse = (message: string): GateResult => ({ kind: 'refuse', message });
export const lacks = (message: string): GateResult => ({ kind: 'lacks', message });
export const unchecked = (message: string): GateResult => ({ kind: 'unchecked', message });

/** Evaluates one gate. Pure. */
export type Judge = (facts: GateFacts) => GateResult;

/** Facts for the gates, gathered before anything starts. */
export interface GateFacts {
  readonly plan: TrainingPlan;
  /** Keys in `training.set`. */
  readonly setKeys: readonly string[];
  /** True if the number of GPUs was given explicitly, so that 0 is intended. */
  readonly gpusGiven: boolean;
  /** Reason why the job's folder is unusable, with the fix; null if usable. */
  readonly folderProblem: string | null;
  readonly dataset: DatasetFacts;
  /** Null for a model given by name or stored where only the job's machines see it. */
  readonly model: ModelFolderFacts | null;
  /** Null if the trainer's Python is on another machine or in an image, or the dataset is not to be loaded. */
  readonly trainer: TrainerFacts | null;
  /** Free space at the job's folder. */
  readonly freeBytes: number;
  /** Server that plays tasks, for reinforcement learning; null for other methods. */
  readonly environment: EnvironmentFacts | null;
}

/** Answers of the environment server to this machine. */
export interface EnvironmentFacts {
  /** `COA_RL_URL`; null if not set. */
  readonly url: string | null;
  /** Reason why it is unusable; null if usable. */
  readonly problem: string | null;
  /** Null if it does not answer. */
  readonly limits: { readonly max_steps: number; readonly max_response_tokens: number } | null;
  /** Reason why a probe got no verdict; null on success or without a probe. */
  readonly judgeProblem: string | null;
}

/** Contents of the dataset's folder. */
export interface DatasetFacts {
  readonly manifestSha256: string;
  readonly audit: AuditFacts;
  readonly tokenizerName: string;
}

/** Result of a dataset audit. */
export interface AuditFacts {
  /** Reason why the audit failed; null on success. */
  readonly problem: string | null;
  /** Faults of rows and masks; changed files are listed separately. */
  readonly findings: number;
  /** First fault with its place; empty without any. */
  readonly first: string;
  /** Files that differ from the manifest, each with the difference. */
  readonly changedFiles: readonly string[];
}

/**
 * Audits every row of a dataset. Files are compared with the manifest even if the rows cannot be audited.
 * @param tokenizer name or path of the dataset's tokenizer; undefined: the name that the manifest has
 */
export type DatasetAuditor = (
  folder: string,
  manifest: Manifest,
  tokenizer: string | undefined,
) => Promise<AuditFacts>;

/** Contents of a model's folder that training needs. */
export interface ModelFolderFacts {
  /** Reason why it is not a model's folder; null if it is one. */
  readonly problem: string | null;
  /** Missing weight files; empty if complete. */
  readonly missingWeights: readonly string[];
  /** `max_position_embeddings` of its configuration; null without one. */
  readonly maxPositions: number | null;
  readonly tokenizer: TokenizerComparison;
}

/** Comparison of a model's tokenizer with the dataset's. */
export type TokenizerComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'differs'; readonly difference: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Facts reported by the trainer's Python. */
export interface TrainerFacts {
  readonly python: string;
  /** Reason why it could not be asked; null on success. */
  readonly problem: string | null;
  /** Versions of installed packages. */
  readonly versions: Readonly<Record<string, string>>;
  /** Configuration keys of the installed trainer; null if no key was asked about or they are unreadable. */
  readonly arguments: readonly string[] | null;
  /** Dataset as loaded by the trainer; null if loading failed or the trainer is not installed. */
  readonly loaded: {
    readonly rows: number;
    readonly validationRows: number;
    /** Maximum tokens of a row. */
    readonly longest: number;
    /** Id of the first task, if rows are tasks to play. */
    readonly firstTask?: string;
  } | null;
  readonly loadError: string | null;
}
