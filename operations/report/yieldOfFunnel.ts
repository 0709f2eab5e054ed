import { totalOf } from '../../base/sum.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { FunnelRow } from '../../schemas/report.ts';

/** What the records that went all the way so far say of the others. */
export interface Yield {
  /** Records that were dropped, failed, or kept by the last stage that looks at one at a time. */
  readonly finished: number;
  readonly kept: number;
  /** US dollars spent so far over kept records; null before the first, and where no price is known. */
  readonly cost_usd_a_kept_row: number | null;
  /** Records that will be kept if the others do as these did; null where nobody knows how many there are, and early. */
  readonly expected_kept: number | null;
  /** What most of those that are not kept were dropped for or failed by; null where all are kept. */
  readonly most_lost: { readonly reason: string; readonly records: number } | null;
}

/** Fewer say nothing of the others: the first to end are those that fail at once. */
const MIN_FINISHED = 10;

/**
 * The yield of the stages that look at one record at a time, `rollout` to `filter`; undefined before a record went
 * through all of them. Later stages see all records: what they drop is not in it.
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
      first.entered === null || finished < MIN_FINISHED
        ? null
        : Math.round((first.entered * kept) / finished),
    most_lost: mostLost(rows),
  };
}

/** Of equally frequent ones the first, in the order of the stages. */
function mostLost(rows: readonly Pick<FunnelRow, 'dropped' | 'failed'>[]): Yield['most_lost'] {
  const lost: Record<string, number> = {};
  for (const [reason, records] of rows.flatMap((row) => [row.dropped, row.failed].flatMap(Object.entries)))
    lost[reason] = (lost[reason] ?? 0) + records;
  const [most] = Object.entries(lost).sort(([, one], [, other]) => other - one);
  return most ? { reason: most[0], records: most[1] } : null;
}
