import type { CutRow, FileRow } from '../../base/rows/fileRow.ts';
import { type RowFile, refuseCutOff } from '../../base/rows/openRowFile.ts';
import type { FoundRowFile } from '../../base/rows/rowFilesAt.ts';
import { inOrder } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import { type PairSide, pairSides } from '../../schemas/audit.ts';
import { answerColumns } from '../../schemas/rows/codecTable.ts';
import type { LintFinding, TextFinding } from './finding.ts';
import {
  type LintedText,
  type LintedTexts,
  type LintRows,
  lintWeight,
  type PlacedFinding,
  type RowsToLint,
  type RowToLint,
  rowBytes,
  withPlaces,
} from './lintRows.ts';
import { isForeign, openFound, refuseEmpty } from './read/readTrajectories.ts';
import { lintRules } from './rules/ruleTable.ts';

/** What became of one row. */
export interface LintedRow {
  readonly row: number;
  readonly bytesRead: number;
  readonly findings: readonly LintFinding[];
  /** The profile that it was checked against, and whether that was guessed; undefined for rows that can't be read. */
  readonly profile: { readonly name: string; readonly guessed: boolean } | undefined;
}

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
  for await (const { piece, linted } of lintedPieces(rowFile, lint)) {
    if (piece.row === 1 && isForeign(file, linted.texts, linted)) return;
    if (linted.problem !== undefined && 'endsFile' in piece) refuseCutOff(file.path, piece);
    rows += 1;
    yield lintedRow(file, piece, linted.texts) ?? unreadableRow(file, piece, linted);
  }
  refuseEmpty(file, rows);
}

type RowPiece = CutRow | FileRow;

/** A row of a file, and what became of it. */
interface LintedPiece {
  readonly piece: RowPiece;
  readonly linted: LintedTexts;
}

async function* lintedPieces(file: RowFile, lint: LintRows): AsyncGenerator<LintedPiece> {
  const begin = async ({ toLint }: RowGroup) => {
    try {
      return await lint(toLint);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new Error(`${file.path}: ${(error as Error).message}`, { cause: error });
    }
  };
  const weigh = ({ toLint }: RowGroup) => lintWeight(toLint);
  for await (const { item, result } of inOrder(rowGroups(file), begin, { weigh }))
    for (const [at, piece] of item.pieces.entries()) yield { piece, linted: result[at]! };
}

/** Rows that are checked together, and their places in the file. */
interface RowGroup {
  readonly pieces: readonly RowPiece[];
  readonly toLint: RowsToLint;
}

/** All rows of a file, in order; those before an error in the file come before it. */
async function* rowGroups(file: RowFile): AsyncGenerator<RowGroup> {
  let pieces: RowPiece[] = [];
  let rows: RowToLint[] = [];
  let bytes = 0;
  const take = (): RowGroup => {
    const group = { pieces, toLint: { first: pieces[0]!.row, rows } };
    [pieces, rows, bytes] = [[], [], 0];
    return group;
  };
  try {
    for await (const piece of file.cut()) {
      if ('between' in piece) continue;
      if (bytes >= enoughBytes) yield take();
      const row = toLint(piece);
      pieces.push(piece);
      rows.push(row);
      bytes += rowBytes(row);
    }
  } catch (error) {
    if (pieces.length > 0) yield take();
    throw error;
  }
  if (pieces.length > 0) yield take();
}

function toLint(piece: RowPiece): RowToLint {
  if ('endsFile' in piece) return { bytes: piece.bytes };
  return 'value' in piece ? { value: piece.value } : { problem: piece.problem };
}

/** Undefined for a row without texts. */
function lintedRow(file: FoundRowFile, piece: RowPiece, texts: readonly LintedText[]): LintedRow | undefined {
  const { row, bytesRead } = piece;
  const findings = texts.flatMap((text, at) => {
    const side = texts.length > 1 ? pairSides[at] : undefined;
    return text.findings.map(inFile(file, piece, text.profile.name, side));
  });
  return texts[0] && { row, bytesRead, findings, profile: texts[0].profile };
}

function unreadableRow(file: FoundRowFile, piece: RowPiece, { problem }: LintedTexts): LintedRow {
  const { row, bytesRead } = piece;
  const finding: TextFinding =
    problem !== undefined
      ? { rule: 'broken_row', offset: 0, message: problem }
      : { rule: 'unknown_row', offset: 0, message: `expected ${answerColumns}` };
  const findings = withPlaces([finding], '').map(inFile(file, piece, null));
  return { row, bytesRead, findings, profile: undefined };
}

function inFile(file: FoundRowFile, piece: RowPiece, profile: string | null, side?: PairSide) {
  return (finding: PlacedFinding): LintFinding => ({
    file: file.path,
    row: piece.row,
    ...(side && { side }),
    file_line: piece.line,
    ...finding,
    severity: lintRules[finding.rule].severity,
    profile,
  });
}
