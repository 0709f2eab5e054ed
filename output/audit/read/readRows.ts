import type { FileRow } from '../../../base/rows/fileRow.ts';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { plainFileSize } from '../../../base/rows/rowFormat.ts';
import { UserError } from '../../../base/userError.ts';
import { parseTrajectoryRow } from '../../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';

/** A row, and the file that it stands in as the user should see it. */
export type SourceRow = FileRow & { readonly file: string };

/** Reads the rows of a file, in order, a few in memory at a time. */
export type RowReader = (file: string) => AsyncIterable<SourceRow>;

/**
 * Rows of a dataset file.
 *
 * @throws UserError when the file is missing, cut off or of another kind
 */
export async function* readRows(file: string): AsyncGenerator<SourceRow> {
  // A split may have no rows, and a shard may have lost them: others compare how many there should be.
  if ((await plainFileSize(file)) === 0) return;
  const { rows } = await openRowFile(file);
  for await (const row of rows()) yield { file, ...row };
}

/**
 * The canonical records of a split, in order; of pairs the chosen one before the rejected one.
 *
 * @throws UserError for a line that is none: nothing can be held against it
 */
export async function* readTrajectories(
  files: readonly string[],
  read: RowReader,
): AsyncGenerator<Trajectory> {
  for (const file of files) {
    for await (const { row, ...content } of read(file)) {
      if ('problem' in content)
        throw new UserError(`${file} row ${row}: ${content.problem}; export the dataset again`);
      for (const value of recordsOf(content.value)) yield parsed(file, row, value);
    }
  }
}

function recordsOf(value: unknown): readonly unknown[] {
  const isPair = typeof value === 'object' && value !== null && 'chosen' in value && 'rejected' in value;
  return isPair ? [value.chosen, value.rejected] : [value];
}

function parsed(file: string, row: number, value: unknown): Trajectory {
  try {
    return parseTrajectoryRow(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 8).join(' ') : String(cause);
    throw new UserError(`${file} row ${row}: no trajectory (${why}); export the dataset again`, { cause });
  }
}
