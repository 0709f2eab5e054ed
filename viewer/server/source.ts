import type { RecordAnswer, SourceAnswer, TokensAnswer } from '../api.ts';
import type { LiveIndex } from '../index/liveIndex.ts';

/** Something whose records are shown: a run, or files of rows. */
export interface Source extends SourceAnswer {
  readonly live: LiveIndex;
  /** A row of the index with everything that is known of it. */
  record(row: number): Promise<RecordAnswer>;
  /** The row in tokens. Throws `UserError` or `RecordFailure` where it can't be. */
  tokens(row: number): Promise<TokensAnswer>;
  /** The row as a format of the dataset has it. */
  inFormat(row: number, format: string): Promise<string>;
  close(): Promise<void>;
}

/** A row's record once its trajectory, if it has one, has been read: while an index grows, only its task may have been. */
export async function recordWithTrajectory(source: Source, row: number): Promise<RecordAnswer> {
  const record = await source.record(row);
  if (record.trajectory) return record;
  await source.live.grow();
  return source.record(row);
}
