import {
  type CorpusStage,
  dropRecord,
  type Identified,
  type RecordStage,
  type StageOutcome,
} from '../../contract/stage.ts';
import type { TrajectorySampling } from '../../schemas/trajectory.ts';
import { BadRow, type RowIdentity, rowId, rowIdentity, type SourceRow } from './sourceRow.ts';

/** What a stage makes of a row: it may say how a row that is kept is to be sampled. */
export interface RowRecord extends Identified {
  readonly sampling?: TrajectorySampling | undefined;
}

/** What a row is read as: a record for the stage, or what became of it already. */
export type ReadRow<T> = { readonly record: T } | { readonly outcome: StageOutcome<never> };

/** A stage of a run, as it works on the rows of files. */
export type RowStage<T extends RowRecord> = {
  /** Throws `BadRow` for a row of no known layout. */
  read(row: SourceRow): ReadRow<T>;
} & (
  | { readonly kind: 'record'; readonly stage: RecordStage<T, RowRecord> }
  | {
      readonly kind: 'corpus';
      readonly stage: Pick<CorpusStage<T, RowRecord>, 'run'>;
      /** True where the stage reads its records once, and gives each outcome before it reads on. */
      readonly isStreaming: boolean;
    }
);

/** Whether rows leave as they are decided; otherwise they are read again to be written, once all are decided. */
export function leavesAtOnce<T extends RowRecord>(stage: RowStage<T>): boolean {
  return stage.kind === 'record' || stage.isStreaming;
}

/** What is done about a row that is not what the stage works on. */
export type OnBadRow = 'stop' | 'drop';

interface EndedRow {
  readonly identity: RowIdentity;
  readonly outcome: StageOutcome<never>;
}

/** Reads a row for a stage. Throws `UserError` for a bad row, unless such rows are dropped. */
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
