import { UserError } from '../../../base/userError.ts';
import { parseTrajectoryRow } from '../../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { RowReader } from './readRows.ts';

/**
 * The canonical records of a split, in order; of pairs the chosen one before the rejected one.
 *
 * @throws UserError for a line that is none: nothing can be held against it
 */
export async function* readTrajectories(
  files: readonly string[],
  readRows: RowReader,
): AsyncGenerator<Trajectory> {
  for (const file of files) {
    for await (const { row, ...content } of readRows(file)) {
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
