import type { WhatIf } from '../../operations/variant/whatIf.ts';
import type { WorkersView } from '../../schemas/run/workersView.ts';
import type { RecordAnswer, ReportAnswer, RunAnswer, SourceAnswer, TokensAnswer } from '../api.ts';
import type { LiveIndex } from '../index/liveIndex.ts';

/** Something whose records are shown: a run, or files of rows. */
export interface Source extends SourceAnswer {
  readonly live: LiveIndex;
  /** Of a run: where it lies. */
  readonly runFolder?: string;
  /** True while somebody works on it. */
  isRunning(): Promise<boolean>;
  /** Of a run: who works on it by now; undefined where it has no workers. */
  workers?(): Promise<WorkersView | undefined>;
  describe(): Promise<RunAnswer>;
  /** What its records add up to. All of them are read for it. Throws `UserError` for rows of no run. */
  report(): Promise<ReportAnswer>;
  /** A row of the index with everything that is known of it. */
  record(row: number): Promise<RecordAnswer>;
  /** The row in tokens. Throws `UserError` or `RecordFailure` where it can't be. */
  tokens(row: number): Promise<TokensAnswer>;
  /** The row as a format of the dataset has it. */
  inFormat(row: number, format: string): Promise<string>;
  /** What the filter would keep by other settings. Throws `UserError` where no filter has worked. */
  whatIf(): Promise<WhatIf>;
  close(): Promise<void>;
}

/** A row's record once its trajectory, if it has one, has been read: while an index grows, only its task may have been. */
export async function recordWithTrajectory(source: Source, row: number): Promise<RecordAnswer> {
  const record = await source.record(row);
  if (record.trajectory) return record;
  await source.live.grow();
  return source.record(row);
}
