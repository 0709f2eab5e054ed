import type { RowCounts } from '../../operations/standalone/runRows.ts';
import { formatCount } from '../format.ts';

/** What became of the rows, as lines: the counts add up, and every reason has its own. */
export function countLines({ rows_in, kept, rows_out, dropped, failed }: RowCounts): string[] {
  const repeated = rows_out === kept ? '' : `, written as ${formatCount(rows_out)}`;
  return [
    `${formatCount(rows_in)} rows in = ${formatCount(kept)} kept + ${formatCount(sum(dropped))} dropped + ${formatCount(sum(failed))} failed${repeated}`,
    ...reasonLines('dropped', dropped),
    ...reasonLines('failed', failed),
  ];
}

function reasonLines(what: string, counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([reason, rows]) => `  ${what}: ${reason} ${formatCount(rows)}`);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
