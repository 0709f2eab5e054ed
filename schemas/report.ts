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

/** Outcome of the records that entered one stage. `entered = emitted + dropped + failed`, summed over reasons. */
export interface FunnelRow {
  readonly stage: string;
  readonly entered: number;
  readonly emitted: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

/** Rolled-out tasks and their rollouts, if these are more: subsequent records are rollouts. */
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

/** Billed usage of one role: of the teacher, the probe, tools' models or the judge. */
export interface RoleUse extends Readonly<Usage> {
  readonly role: string;
  /** Stage that asked, for synthesis. */
  readonly stage?: string | undefined;
  readonly calls: number;
  readonly cost_usd: number;
}

/** Usage of a tool. */
export interface ToolUse {
  readonly tool: string;
  readonly calls: number;
  /** Calls answered from an earlier call's result. */
  readonly cached: number;
  /** Calls without a result, which ended their task. */
  readonly failed: number;
  /** Median and 99th percentile of uncached calls; null without any. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

/** Frequency of each integer: one entry per distinct number, however many rows. */
export type ValueCounts = readonly (readonly [value: number, times: number])[];

/** Totals of one tag's segments over the kept rows, each row counted once. */
export interface TagShare {
  readonly tag: string;
  readonly segments: number;
  /** UTF-16 code units: token counts exist only where a row is rendered. */
  readonly characters: number;
  /** Characters with a loss weight above 0. */
  readonly trained_characters: number;
}

/** Pass rate of a group of tasks with the 95% interval over the tasks. */
export interface PassGroup extends Estimate {
  readonly by: 'profile' | 'difficulty';
  readonly group: string;
  /** Tasks with a scored rollout. */
  readonly tasks: number;
}

/** Running totals at the end of one minute of a run. */
export interface TimedKept {
  /** Start of the minute, milliseconds since 1970. */
  readonly at_ms: number;
  /** Tasks whose last model call was finished by then. */
  readonly tasks: number;
  /** Tasks in the dataset, with their rows. */
  readonly kept_tasks: number;
  readonly kept_rows: number;
}

export interface ProfileRows {
  readonly profile: string;
  readonly rows: number;
  readonly tokens: ValueCounts;
  readonly trained_tokens: ValueCounts;
  readonly interactions: ValueCounts;
  readonly tags: readonly TagShare[];
}

/** A kept trajectory and its trained parts. */
export interface ReportSample {
  readonly trajectory: Trajectory;
  /** Loss weight of each segment in its row; later segments were truncated. */
  readonly weights: readonly number[];
}

export interface ReportData {
  readonly run: string;
  readonly coa_distill_version: string;
  readonly config_hash: string;
  readonly settings: JsonObject;
  /** Distinct models that play and judge. */
  readonly models: readonly string[];
  /** Working time of completed sessions; null without any. */
  readonly duration_ms: number | null;
  readonly funnel: readonly FunnelRow[];
  /** Kept rows, in order of each profile's first occurrence. */
  readonly rows: readonly ProfileRows[];
  readonly spent: RunSpending;
  readonly roles: readonly RoleUse[];
  readonly tools: readonly ToolUse[];
  readonly pass_groups: readonly PassGroup[];
  readonly over_time: readonly TimedKept[];
  /** Requests without an answer that were retried, over all sessions: cause -> requests. */
  readonly retries: Readonly<Record<string, number>>;
  /** First failures and drops of each kind, with evidence as one line of text. */
  readonly examples: readonly {
    readonly stage: string;
    readonly kind: string;
    readonly task_id: string;
    readonly message: string;
  }[];
  /** Measured quality of a synthesis checker as a sentence; null if not measured. */
  readonly checker: string | null;
  /** Counts before and after balancing; null without balancing. */
  readonly balance: BalanceTable | null;
  /** Kept trajectories: all up to 500, otherwise two per profile. */
  readonly samples: readonly ReportSample[];
  /** Grounding of trajectories that no judge found wrong; null if not measured. */
  readonly grounding: GroundingCounts | null;
  readonly manifest: Manifest | null;
  readonly target: TargetFile | null;
  /** Null for a run without workers. */
  readonly workers: WorkersView | null;
}
