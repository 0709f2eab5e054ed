import type { JsonValue } from '../../../base/json.ts';
import { UserError } from '../../../base/userError.ts';
import { answerColumns, readDatasetRow } from '../../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../../schemas/rows/datasetRow.ts';
import { type DatasetFileKind, detectFormat } from './detectFormat.ts';
import type { FileRow } from './fileRow.ts';
import type { DatasetFile } from './findDatasetFiles.ts';
import { type Between, readPieces } from './readPieces.ts';

/** A row and what it says; undefined where it can't be read, has no known layout or holds no answer. */
export interface TrajectoryRow extends FileRow {
  readonly said: DatasetRow | undefined;
}

/**
 * Everything in a dataset file. A file that was found in a folder and whose first row is no trajectory gives no rows.
 *
 * @throws UserError when the file is empty, binary, cut off, or named by the user without holding trajectories
 */
export async function* readTrajectories(file: DatasetFile): AsyncGenerator<Between | TrajectoryRow> {
  const format = await formatOf(file);
  if (format === undefined) return;
  let rows = 0;
  for await (const piece of readPieces(file.path, format)) {
    if (piece.kind === 'between') {
      yield piece;
      continue;
    }
    const said = 'value' in piece.parsed ? answerIn(piece.parsed.value) : undefined;
    if (piece.row === 1 && isForeign(file, said ? [said] : [], piece.parsed)) return;
    rows += 1;
    yield { ...piece, said };
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
export function isForeign(file: DatasetFile, found: readonly unknown[], parsed: object): boolean {
  if (found.length > 0) return false;
  if (!file.named) return true;
  if ('problem' in parsed) return false;
  throw new UserError(`${file.path}: row 1 has none of the known layouts: ${answerColumns}`);
}

/** @throws UserError for a file that the user named and that has no rows */
export function refuseEmpty(file: DatasetFile, rows: number): void {
  if (rows === 0 && file.named) throw new UserError(`${file.path}: holds no rows; it needs at least one`);
}

/** Undefined for a file of a folder that is of no known format. */
export async function formatOf(file: DatasetFile): Promise<DatasetFileKind | undefined> {
  try {
    return await detectFormat(file.path);
  } catch (error) {
    if (!file.named && error instanceof UserError) return undefined;
    throw error;
  }
}
