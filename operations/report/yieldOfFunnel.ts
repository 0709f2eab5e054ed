import { totalOf } from '../../base/sum.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import { forecastCount, type Interval, intervalOf } from '../../pipeline/estimate/interval.ts';
import type { FunnelRow } from '../../schemas/report.ts';

export interface Yield {
  /** Finished records: ended, or kept by the last record stage. */
  readonly finished: number;
  readonly kept: number;
  /** Cost in US dollars per kept record; null without kept records or price. */
  readonly cost_usd_a_kept_row: number | null;
  /** Predicted kept records; null if the total is unknown, or early. */
  readonly expected_kept: Interval | null;
  /** Most frequent reason or cause among records not kept; null if all are kept. */
  readonly most_lost: { readonly reason: string; readonly records: number } | null;
}

/** Minimum for a prediction, since the first records to end are those that fail at once. */
const MIN_FINISHED = 10;

/**
 * Yield of the per-record stages, `rollout` to `filter`; undefined before a record has passed all. Excludes drops of
 * later stages, which see all records.
 */
export function yieldOfFunnel(
  funnel: readonly (Omit<FunnelRow, 'entered'> & { readonly entered: number | null })[],
  costUsd: number,
): Yield | undefined {
  const rows = funnel.filter(({ stage }) => stageRow(stage as StageName)?.kind === 'record');
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || last?.stage !== 'filter') return undefined;
  const kept = last.emitted;
  const finished =
    kept + rows.reduce((sum, { dropped, failed }) => sum + totalOf(dropped) + totalOf(failed), 0);
  if (finished === 0) return undefined;
  return {
    finished,
    kept,
    cost_usd_a_kept_row: kept > 0 && costUsd > 0 ? costUsd / kept : null,
    expected_kept:
      first.entered === null || finished < MIN_FINISHED ? null : atTheEnd(kept, finished, first.entered),
    most_lost: mostLost(rows),
  };
}

function atTheEnd(kept: number, finished: number, entered: number): Interval {
  const rest = forecastCount(kept, finished, Math.max(0, entered - finished));
  return intervalOf((bound) => kept + rest[bound]);
}

/** Ties go to the earliest stage. */
function mostLost(rows: readonly Pick<FunnelRow, 'dropped' | 'failed'>[]): Yield['most_lost'] {
  const lost: Record<string, number> = {};
  for (const [reason, records] of rows.flatMap((row) => [row.dropped, row.failed].flatMap(Object.entries)))
    lost[reason] = (lost[reason] ?? 0) + records;
  const [most] = Object.entries(lost).sort(([, one], [, other]) => other - one);
  return most ? { reason: most[0], records: most[1] } : null;
}
