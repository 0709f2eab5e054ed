import type { AfmRow } from '../../schemas/trainers/afm.ts';
import type { LlamaFactoryRow } from '../../schemas/trainers/llamaFactory.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { TokenisedRow } from '../rows/tokeniseRow.ts';

/** One row, rendered for every format from the same pieces. */
export interface DatasetRow extends TokenisedRow {
  readonly trajectory: Trajectory;
  readonly afm: AfmRow;
  readonly llamaFactory: LlamaFactoryRow;
}

/** Writes the rows of one format. Rows come in order, one at a time. */
export interface DatasetFormat {
  add(row: DatasetRow): Promise<void>;
  /** Writes what is still held back and closes the format's files. */
  finish(): Promise<void>;
  /** Lets go of streams and native memory; the files are removed by others. */
  abort(): Promise<void>;
}
