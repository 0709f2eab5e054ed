import type { EndCounts } from '../../operations/report/funnel.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine, RetryLine } from '../../schemas/run/journalLines.ts';

/** Stage -> what became of its inputs, counted line by line: a run of a million records can't be read again for each look. */
export type StageEnds = Record<string, EndCounts>;

/** A line of a stage's records or its ledger. */
export type JournalLine = RecordLine | LedgerEntry | RetryLine;

/** The counts of a stage, begun where there are none. */
export function endsOf(ends: StageEnds, stage: string): EndCounts {
  ends[stage] ??= { emitted_inputs: 0, emitted_records: 0, dropped: {}, failed: {} };
  return ends[stage];
}

/** Counts a line. A failure whose input is pending again is taken back. */
export function countEnd(ends: EndCounts, line: JournalLine): void {
  if (!('kind' in line)) {
    ends.emitted_inputs++;
    ends.emitted_records += line.records.length;
  } else if (line.kind === 'drop') add(ends.dropped, line.reason, 1);
  else if (line.kind === 'fail') add(ends.failed, line.failure.cause, 1);
  else add(ends.failed, line.cause, -1);
}

function add(counts: Record<string, number>, name: string, more: number): void {
  counts[name] = (counts[name] ?? 0) + more;
  if (counts[name] === 0) delete counts[name];
}
