/** What the server answers and the pages read: types alone, for both sides. */
import type { JsonObject } from '../base/json.ts';
import type { SeriesPoint } from '../base/statistics/reduceSeries.ts';
import type { RunStatus } from '../operations/report/readStatus.ts';
import type { StoryStep } from '../operations/taskStory.ts';
import type { Manifest } from '../schemas/manifest.ts';
import type { PlayedRollout } from '../schemas/rl/playedRollout.ts';
import type { Sample } from '../schemas/sample.ts';
import type { Synthesis } from '../schemas/synthesis/candidate.ts';
import type { Task } from '../schemas/task.ts';
import type { Trace } from '../schemas/trace.ts';
import type { JobRecord, TrainingCurve } from '../schemas/training/jobRecord.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import type { FigureName, RowState } from './index/fields.ts';
import type { IndexProgress } from './index/liveIndex.ts';

/** Something that can be opened: a run, files of rows, or an evaluation. */
export interface SourceAnswer {
  readonly name: string;
  readonly kind: 'run' | 'files' | 'evaluation';
}

/** What a minute of a run saw. */
export interface SpendMinute {
  /** Its beginning, milliseconds since 1970. */
  readonly at_ms: number;
  readonly calls: number;
  readonly retries: number;
  readonly cost_usd: number;
  readonly tokens: number;
}

/** Records that failed at one stage for one cause. */
export interface FailureGroup {
  readonly stage: string;
  readonly cause: string;
  readonly records: number;
  /** One of them, with what was said; null where it is not known yet. */
  readonly example: { readonly key: string; readonly message: string } | null;
  readonly advice: string;
  /** The command that tries them again; null where that would come to the same. */
  readonly retry: string | null;
}

/** `/api/sources/NAME` */
export interface RunAnswer extends SourceAnswer {
  readonly progress: IndexProgress;
  readonly status: RunStatus | null;
  readonly created_at: string | null;
  readonly manifest: Manifest | null;
  readonly settings: JsonObject;
  /** Rollouts of tasks, where those are more; null where each task has one. */
  readonly rollouts: { readonly tasks: number; readonly rollouts: number } | null;
  /** The run that this one was decided again from, and what was set. */
  readonly variant_of: { readonly run: string; readonly set: readonly string[] } | null;
  readonly models: readonly string[];
  readonly minutes: readonly SpendMinute[];
  readonly failures: readonly FailureGroup[];
  /** Where the run is, in a few words. */
  readonly state: string | null;
  readonly jobs: readonly ViewedJob[];
  /** What is to be known of the dataset before it is used. */
  readonly notices: readonly string[];
  /** What could not be read, and why: it was damaged, or written by another version. */
  readonly problems: readonly string[];
}

/** A row of the table. */
export interface RowAnswer {
  readonly key: string;
  readonly question: string;
  /** The first line of what the rollout answered; empty where it did not. */
  readonly answer: string;
  readonly gold: string;
  /** `right`, `wrong`, `no_answer` or `unscored`; empty before that is known. */
  readonly verdict: string;
  readonly state: RowState;
  readonly stage: string;
  readonly reason: string;
  readonly profile: string;
  readonly tools: readonly string[];
  readonly marks: readonly string[];
  readonly figures: Partial<Record<FigureName, number>>;
  /** Rows of its task: those of which it is known whether they are right or wrong, and the right ones. */
  readonly rollouts: number;
  readonly scored: number;
  readonly right: number;
}

/** `/api/sources/NAME/records/KEY` */
export interface RecordAnswer extends RowAnswer {
  readonly recordId: string | null;
  /** What the stages did with it, in their order. */
  readonly steps: readonly StoryStep[];
  /** Lines that could not be read, and why. */
  readonly problems: readonly string[];
  /** A row of a file that is not a trajectory, as it stands there; null for any other record. */
  readonly foreign: string | null;
  readonly task: Task | null;
  /** How a synthesis made the task or the candidate; null for any other record. */
  readonly synthesis: Synthesis | null;
  /** The trace; of a failed rollout as far as it came. */
  readonly trace: Partial<Trace> | null;
  /** As the last stage that it reached has it. */
  readonly trajectory: Trajectory | null;
  /** Loss weight of each segment; null where the profile is not known. */
  readonly weights: readonly number[] | null;
  readonly sample: Sample | null;
  readonly siblings: readonly RowAnswer[];
  /** Formats that a row of the dataset can be shown in. */
  readonly formats: readonly string[];
}

/** `/api/sources/NAME/records/KEY/tokens`: columns, since there are thousands of tokens. */
export interface TokensAnswer {
  readonly tokenizer: string;
  readonly ids: readonly number[];
  readonly texts: readonly string[];
  /** Loss weight of each token; the label of one without is -100. */
  readonly weights: readonly number[];
  /** Who wrote each: `p` prompt, `m` model, `e` environment. */
  readonly origins: string;
}

/** A job's figures by step, by their names, each with as many points as can be drawn. */
export interface JobCurve extends Omit<TrainingCurve, 'steps' | 'validation'> {
  readonly lines: Readonly<Record<string, readonly SeriesPoint[]>>;
  /** Milliseconds by step; empty where the trainer does not log them. */
  readonly elapsed: readonly SeriesPoint[];
  /** Steps whose loss is not a number. */
  readonly lost_steps: number;
}

/** Where a job is. `gone`: it has ended, and nobody has written down how. */
export interface JobStanding {
  readonly kind: 'running' | 'queued' | 'ended' | 'gone' | 'unknown';
  /** What its launcher says of it, or why that is not known; may be empty. */
  readonly note: string;
}

/** A training job that was started, as far as it has come. */
export interface ViewedJob {
  readonly record: JobRecord;
  readonly standing: JobStanding;
  readonly curve: JobCurve;
}

/** `/api/sources/NAME/jobs/JOB` */
export interface JobAnswer extends ViewedJob {
  /** Steps of its checkpoints; those that are not whole were cut off while they were saved. */
  readonly checkpoints: { readonly steps: readonly number[]; readonly whole: readonly number[] };
  /** What the trainer said last, where it failed; empty where it did not. */
  readonly lastWords: string;
  /** The end of what it printed, without colours and progress bars. */
  readonly printed: string;
  /** What was played at the latest steps of reinforcement learning. */
  readonly rollouts: readonly { readonly step: number; readonly rollouts: readonly ShownRollout[] }[];
}

/** A rollout with the question of its task, which is empty where the run does not have it; a line of another form as it is. */
export type ShownRollout = (PlayedRollout & { readonly question: string }) | { readonly raw: JsonObject };
