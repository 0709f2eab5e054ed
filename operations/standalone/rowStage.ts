import {
  type CorpusStage,
  dropRecord,
  type Identified,
  type RecordStage,
  type StageOutcome,
} from '../../contract/stage.ts';
import type { TrajectorySampling } from '../../schemas/trajectory.ts';
import { BadRow, type RowIdentity, rowId, rowIdentity, type SourceRow } from './sourceRow.ts';

/** Row as a record, with sampling instructions for kept rows. */
export interface RowRecord extends Identified {
  readonly sampling?: TrajectorySampling | undefined;
}

/** Result of reading a row: a record for the stage, or already an outcome. */
export type ReadRow<T> = { readonly record: T } | { readonly outcome: StageOutcome<never> };

/** Stage of a run adapted to rows of files. */
export type RowStage<T extends RowRecord> = {
  /** Throws `BadRow` for an unknown layout. */
  read(row: SourceRow): ReadRow<T>;
} & (
  | { readonly kind: 'record'; readonly stage: RecordStage<T, RowRecord> }
  | {
      readonly kind: 'corpus';
      readonly stage: Pick<CorpusStage<T, RowRecord>, 'run'>;
      /** True if the stage reads records once, and emits each outcome before reading on. */
      readonly isStreaming: boolean;
    }
);

/** True if rows are written as they are decided; otherwise they are read again for writing at the end. */
export function leavesAtOnce<T extends RowRecord>(stage: RowStage<T>): boolean {
  return stage.kind === 'record' || stage.isStreaming;
}

/** Handling of rows that the stage does not support. */
export type OnBadRow = 'stop' | 'drop';

interface EndedRow {
  readonly identity: RowIdentity;
  readonly outcome: StageOutcome<never>;
}

/** Reads a row for a stage. Throws `UserError` for a bad row, unless bad rows are dropped. */
export function readRow<T extends RowRecord>(
  { read }: RowStage<T>,
  row: SourceRow,
  onBadRow: OnBadRow,
): { readonly record: T } | EndedRow {
  try {
    const found = read(row);
    return 'record' in found ? found : { ...found, identity: rowIdentity(row) };
  } catch (error) {
    if (!(error instanceof BadRow)) throw error;
    if (onBadRow === 'stop') throw error.asUserError(row);
    const id = rowId(row);
    const outcome = dropRecord('malformed_row', { message: error.message });
    return { identity: { id, task_id: id }, outcome };
  }
}
