import { openRowFile, type RowFile, refuseCutOff } from '../../base/rows/openRowFile.ts';
import type { FoundRowFile } from '../../base/rows/rowFilesAt.ts';
import { inOrder } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import { answerColumns } from '../../schemas/rows/codecTable.ts';
import { type LintedRow, type LintRows, lintWeight, type RowPiece, type RowsToLint } from './lintRows.ts';

/** Enough bytes of rows to be checked together: what a thread is told costs little beside the work, and nobody waits long. */
const enoughBytes = 128 * 1024;

/**
 * Lints a file row by row, in its order. One that was found in a folder and whose first row is no trajectory gives no
 * rows.
 *
 * @throws UserError when the file is empty, binary, cut off, or named by the user without holding trajectories
 */
export async function* lintFile(file: FoundRowFile, lint: LintRows): AsyncGenerator<LintedRow> {
  const rowFile = await openFound(file);
  if (!rowFile) return;
  let rows = 0;
  for await (const { item, result } of inOrder(rowGroups(rowFile), lint, { weigh: lintWeight })) {
    for (const [at, linted] of result.entries()) {
      const piece = item.rows[at]!;
      const isBroken = linted.findings[0]?.rule === 'broken_row';
      if (linted.row === 1 && isForeign(file, linted.profile !== undefined, isBroken)) return;
      if (isBroken && 'endsFile' in piece) refuseCutOff(file.path, piece);
      rows += 1;
      yield linted;
    }
  }
  refuseEmpty(file, rows);
}

/** All rows of a file, in order; those before an error in the file come before it. */
async function* rowGroups({ path: file, cut }: RowFile): AsyncGenerator<RowsToLint> {
  let rows: RowPiece[] = [];
  let bytes = 0;
  try {
    for await (const piece of cut()) {
      if ('between' in piece) continue;
      if (bytes >= enoughBytes) {
        yield { file, rows };
        [rows, bytes] = [[], 0];
      }
      rows.push(piece);
      bytes += lintWeight({ rows: [piece] });
    }
  } catch (error) {
    if (rows.length > 0) yield { file, rows };
    throw error;
  }
  if (rows.length > 0) yield { file, rows };
}

/**
 * Whether a file is passed over, which its first row tells. A broken one tells nothing of a file that the user named.
 *
 * @throws UserError for a file that the user named and whose first row holds no answer
 */
function isForeign(file: FoundRowFile, hasAnswer: boolean, isBroken: boolean): boolean {
  if (hasAnswer) return false;
  if (!file.isNamed) return true;
  if (isBroken) return false;
  throw new UserError(`${file.path}: row 1 has none of the known layouts: ${answerColumns}`);
}

/** @throws UserError for a file that the user named and that has no rows */
function refuseEmpty(file: FoundRowFile, rows: number): void {
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
