import type { JsonValue } from '../../../base/json.ts';
import type { Between, FileRow } from '../../../base/rows/fileRow.ts';
import { openRowFile, parsedRow, type RowFile } from '../../../base/rows/openRowFile.ts';
import type { FoundRowFile } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
import { answerColumns, readDatasetRow } from '../../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../../schemas/rows/datasetRow.ts';

/** A row and what it says; undefined where it can't be read, has no known layout or holds no answer. */
export type TrajectoryRow = FileRow & { readonly said: DatasetRow | undefined };

/**
 * Everything in a dataset file. A file that was found in a folder and whose first row is no trajectory gives no rows.
 *
 * @throws UserError when the file was cut off, or named by the user without holding trajectories
 */
export async function* readTrajectories(
  file: FoundRowFile,
  { cut }: RowFile,
): AsyncGenerator<Between | TrajectoryRow> {
  let rows = 0;
  for await (const piece of cut()) {
    if ('between' in piece) {
      yield piece;
      continue;
    }
    const row = parsedRow(file.path, piece);
    const said = 'value' in row ? answerIn(row.value) : undefined;
    if (row.row === 1 && isForeign(file, said ? [said] : [], row)) return;
    rows += 1;
    yield { ...row, said };
  }
  refuseEmpty(file, rows);
}

function answerIn(value: JsonValue): DatasetRow | undefined {
  const read = readDatasetRow(value);
  return isProblem(read) || (read.text === null && !read.pair && !read.tokens) ? undefined : read;
}

/**
 * Whether a file is passed over, which its first row tells. A broken one tells nothing of a file that the user named.
 *
 * @param found the trajectories in its first row
 * @throws UserError for a file that the user named and whose first row has none
 */
export function isForeign(file: FoundRowFile, found: readonly unknown[], row: object): boolean {
  if (found.length > 0) return false;
  if (!file.isNamed) return true;
  if ('problem' in row) return false;
  throw new UserError(`${file.path}: row 1 has none of the known layouts: ${answerColumns}`);
}

/** @throws UserError for a file that the user named and that has no rows */
export function refuseEmpty(file: FoundRowFile, rows: number): void {
  if (rows === 0 && file.isNamed) throw new UserError(`${file.path}: holds no rows; it needs at least one`);
}

/** Undefined for a file of a folder that can't be opened. */
export async function openFound(file: FoundRowFile): Promise<RowFile | undefined> {
  try {
    return await openRowFile(file.path);
  } catch (error) {
    if (!file.isNamed && error instanceof UserError) return undefined;
    throw error;
  }
}
