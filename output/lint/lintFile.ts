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
import type { DatasetFileKind } from './read/detectFormat.ts';
import type { FileRow } from './read/fileRow.ts';
import type { DatasetFile } from './read/findDatasetFiles.ts';
import { type CutRow, cutFile, refuseCutOff } from './read/readPieces.ts';
import { formatOf, isForeign, refuseEmpty } from './read/readTrajectories.ts';
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
export async function* lintFile(file: DatasetFile, lint: LintRows): AsyncGenerator<LintedRow> {
  const format = await formatOf(file);
  if (format === undefined) return;
  let last: LintedPiece | undefined;
  for await (last of lintedPieces(file, format, lint)) {
    const { piece, linted } = last;
    if (piece.row === 1 && isForeign(file, linted.texts, linted)) return;
    yield lintedRow(file, piece, linted.texts) ?? unreadableRow(file, piece, linted);
  }
  if (last?.endsFile && 'problem' in last.linted) refuseCutOff(file.path, format, last.piece);
  refuseEmpty(file, last?.piece.row ?? 0);
}

/** A row of a file, and what became of it. */
interface LintedPiece {
  readonly piece: CutRow;
  readonly linted: LintedTexts;
  /** Whether nothing follows it, no line end either. */
  readonly endsFile: boolean;
}

async function* lintedPieces(
  { path }: DatasetFile,
  format: DatasetFileKind,
  lint: LintRows,
): AsyncGenerator<LintedPiece> {
  const begin = async ({ toLint }: RowGroup) => {
    try {
      return await lint(toLint);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
    }
  };
  const weigh = ({ toLint }: RowGroup) => lintWeight(toLint);
  for await (const { item, result } of inOrder(rowGroups(path, format), begin, { weigh })) {
    for (const [at, piece] of item.pieces.entries())
      yield { piece, linted: result[at]!, endsFile: item.endsFile && at + 1 === item.pieces.length };
  }
}

/** Rows that are checked together, and their places in the file. */
interface RowGroup {
  readonly pieces: readonly CutRow[];
  readonly toLint: RowsToLint;
  /** Whether the file ends with the last of them. */
  readonly endsFile: boolean;
}

/** All rows of a file, in order; those before an error in the file come before it. */
async function* rowGroups(path: string, format: DatasetFileKind): AsyncGenerator<RowGroup> {
  let pieces: CutRow[] = [];
  let rows: RowToLint[] = [];
  let endsInRow = false;
  const take = (endsFile: boolean): RowGroup => {
    const group = { pieces, toLint: { first: pieces[0]!.row, rows }, endsFile };
    [pieces, rows] = [[], []];
    return group;
  };
  let bytes = 0;
  try {
    for await (const piece of cutFile(path, format)) {
      endsInRow = piece.kind === 'row';
      if (piece.kind !== 'row') continue;
      if (bytes >= enoughBytes) {
        yield take(false);
        bytes = 0;
      }
      const row = rowToLint(piece);
      pieces.push(piece);
      rows.push(row);
      bytes += rowBytes(row);
    }
  } catch (error) {
    if (pieces.length > 0) yield take(false);
    throw error;
  }
  if (pieces.length > 0) yield take(endsInRow);
}

function rowToLint(row: CutRow | FileRow): RowToLint {
  return 'parsed' in row && 'value' in row.parsed ? { value: row.parsed.value } : { bytes: row.bytes };
}

/** Undefined for a row without texts. */
function lintedRow(file: DatasetFile, piece: CutRow, texts: readonly LintedText[]): LintedRow | undefined {
  const { row, bytesRead } = piece;
  const findings = texts.flatMap((text, at) => {
    const side = texts.length > 1 ? pairSides[at] : undefined;
    return text.findings.map(inFile(file, piece, text.profile.name, side));
  });
  return texts[0] && { row, bytesRead, findings, profile: texts[0].profile };
}

function unreadableRow(file: DatasetFile, piece: CutRow, { problem }: LintedTexts): LintedRow {
  const { row, bytesRead } = piece;
  const finding: TextFinding =
    problem !== undefined
      ? { rule: 'broken_row', offset: 0, message: problem }
      : { rule: 'unknown_row', offset: 0, message: `expected ${answerColumns}` };
  const findings = withPlaces([finding], '').map(inFile(file, piece, null));
  return { row, bytesRead, findings, profile: undefined };
}

function inFile(file: DatasetFile, piece: CutRow, profile: string | null, side?: PairSide) {
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
