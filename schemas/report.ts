import type { JsonObject } from '../base/json.ts';
import type { Estimate } from '../base/statistics/estimates.ts';
import { totalOf } from '../base/sum.ts';
import type { Usage } from './chat.ts';
import type { GroundingCounts } from './groundingCounts.ts';
import type { Manifest } from './manifest.ts';
import type { BalanceTable } from './run/balanceTable.ts';
import type { RunSpending } from './run/runFile.ts';
import type { TargetFile } from './run/targetFile.ts';
import type { WorkersView } from './run/workersView.ts';
import type { Trajectory } from './trajectory.ts';

/** What became of the records that entered one stage. `entered = emitted + dropped + failed`, summed over reasons. */
export interface FunnelRow {
  readonly stage: string;
  readonly entered: number;
  readonly emitted: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

/** The tasks that were rolled out and their rollouts, where those are more: records from there on are rollouts. */
export function rolloutsOfTasks(
  funnel: readonly Pick<FunnelRow, 'stage' | 'entered' | 'emitted'>[],
  target?: TargetFile | null,
): { readonly tasks: number; readonly rollouts: number } | undefined {
  const at = funnel.findIndex(({ stage }) => stage === 'rollout');
  const rollouts = funnel[at]?.entered ?? 0;
  const windowed = totalOf(target?.windows.at(-1)?.tasks ?? {});
  const tasks = Math.min(funnel[at - 1]?.emitted ?? 0, target ? windowed : Number.POSITIVE_INFINITY);
  return at < 1 || rollouts <= tasks ? undefined : { tasks, rollouts };
}

/** What one role was billed for: of the teacher, the probe, tools' models or the judge. */
export interface RoleUse extends Readonly<Usage> {
  readonly role: string;
  /** Of a synthesis: the stage that asked. */
  readonly stage?: string | undefined;
  readonly calls: number;
  readonly cost_usd: number;
}

/** How a tool was used. */
export interface ToolUse {
  readonly tool: string;
  readonly calls: number;
  /** Calls that an earlier call's result answered. */
  readonly cached: number;
  /** Calls that gave no result, and ended their task. */
  readonly failed: number;
  /** Median and 99th percentile of the calls that the cache did not answer; null without any. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

/** How often each whole number occurs: as many entries as there are different numbers, however many rows. */
export type ValueCounts = readonly (readonly [value: number, times: number])[];

/** What the segments of one tag come to in the kept rows, each row once. */
export interface TagShare {
  readonly tag: string;
  readonly segments: number;
  /** UTF-16 code units: tokens of a segment are known only where its row is made. */
  readonly characters: number;
  /** Those with a loss weight above 0. */
  readonly trained_characters: number;
}

/** How often rollouts of a group of tasks are right, with the 95% interval over the tasks. */
export interface PassGroup extends Estimate {
  readonly by: 'profile' | 'difficulty';
  readonly group: string;
  /** Tasks with a rollout that was right or wrong. */
  readonly tasks: number;
}

/** Sums up to the end of one minute of a run. */
export interface TimedKept {
  /** Its beginning, milliseconds since 1970. */
  readonly at_ms: number;
  /** Tasks whose last call of a model was made by then. */
  readonly tasks: number;
  /** Those of them that are in the dataset, and their rows. */
  readonly kept_tasks: number;
  readonly kept_rows: number;
}

/** The kept rows of one profile. */
export interface ProfileRows {
  readonly profile: string;
  readonly rows: number;
  readonly tokens: ValueCounts;
  readonly trained_tokens: ValueCounts;
  readonly interactions: ValueCounts;
  readonly tags: readonly TagShare[];
}

/** A kept trajectory and what of it is in the loss. */
export interface ReportSample {
  readonly trajectory: Trajectory;
  /** Loss weight of each segment that its row holds; the segments after them were cut off. */
  readonly weights: readonly number[];
}

/** Everything that the report and `status` show, gathered from a run folder. */
export interface ReportData {
  readonly run: string;
  readonly coa_distill_version: string;
  readonly config_hash: string;
  /** The configuration, without secrets. */
  readonly settings: JsonObject;
  /** The models that play and judge, each once. */
  readonly models: readonly string[];
  /** Time that sessions worked which came to an end of their own; null where none has. */
  readonly duration_ms: number | null;
  readonly funnel: readonly FunnelRow[];
  /** The kept rows, in the order in which profiles first occur. */
  readonly rows: readonly ProfileRows[];
  readonly spent: RunSpending;
  readonly roles: readonly RoleUse[];
  readonly tools: readonly ToolUse[];
  readonly pass_groups: readonly PassGroup[];
  readonly over_time: readonly TimedKept[];
  /** Requests that brought no answer and were sent again, in all sessions of the run: cause -> requests. */
  readonly retries: Readonly<Record<string, number>>;
  /** First few failures and drops of each kind, with evidence as one line of text. */
  readonly examples: readonly {
    readonly stage: string;
    readonly kind: string;
    readonly task_id: string;
    readonly message: string;
  }[];
  /** How the checker of a synthesis was measured, as a sentence; null where none was. */
  readonly checker: string | null;
  /** Counts before and after balancing; null for a run that does not balance. */
  readonly balance: BalanceTable | null;
  /** The kept trajectories: all where there are at most 500, otherwise two a profile. */
  readonly samples: readonly ReportSample[];
  /** Grounding of the trajectories that no judge found wrong; null where none was measured. */
  readonly grounding: GroundingCounts | null;
  readonly manifest: Manifest | null;
  /** The windows of a run with a target; null for any other. */
  readonly target: TargetFile | null;
  /** Null for a run that never had workers. */
  readonly workers: WorkersView | null;
}
