import type { JsonValue } from '../../base/json.ts';
import { inOrder, type Worked } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import { type PairSide, pairSides } from '../../schemas/audit.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { lineColumns } from '../../schemas/coa/lineColumns.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { TextLinter } from './createTextLinter.ts';
import type { LintFinding, TextFinding } from './finding.ts';
import type { DatasetFile } from './read/findDatasetFiles.ts';
import { type CutRow, cutFile, parseRow, refuseCutOff } from './read/readPieces.ts';
import { formatOf, isForeign, refuseEmpty } from './read/readTrajectories.ts';
import { type FileRow, knownTextLayouts, type RowText, rowTexts } from './read/rowText.ts';
import { lintRules } from './rules/ruleTable.ts';

/** What rows are checked with. */
export interface LintOptions {
  readonly linter: TextLinter;
  /** Profiles to guess from, and to look a row's own profile up in; at least one. */
  readonly profiles: readonly Profile[];
  /** The profile of every row, where the user names one. */
  readonly profile: Profile | undefined;
}

/** What became of one row. */
export interface LintedRow {
  readonly row: number;
  readonly bytesRead: number;
  readonly findings: readonly LintFinding[];
  /** The profile that it was checked against, and whether that was guessed; undefined for rows that can't be read. */
  readonly profile: { readonly name: string; readonly guessed: boolean } | undefined;
}

/** What is checked of a row: its bytes in a file of JSON, which whoever checks it parses, or its texts. */
export type RowToLint = { readonly bytes: Uint8Array } | { readonly texts: readonly TextToLint[] };

type TextToLint = Pick<RowText, 'text' | 'profile'>;

/** What the rules say of a row's text, before it is known where the row stands. */
export interface LintedText {
  readonly profile: { readonly name: string; readonly guessed: boolean };
  readonly findings: readonly PlacedFinding[];
}

/** A finding with its place in the row's text. */
type PlacedFinding = TextFinding & Pick<LintFinding, 'line' | 'column'>;

/** What became of a row: its texts, or none and why it could not be read; neither where its layout is unknown. */
export interface LintedTexts {
  readonly texts: readonly LintedText[];
  readonly problem?: string;
}

/** Checks a row; several may be asked for at once. */
export type LintRow = (row: RowToLint) => Promise<LintedTexts>;

/**
 * Lints a file row by row, in its order. One that was found in a folder and whose first row is no trajectory gives no
 * rows.
 *
 * @throws UserError when the file is empty, binary, cut off, or named by the user without holding trajectories
 */
export async function* lintFile(file: DatasetFile, lint: LintRow): AsyncGenerator<LintedRow> {
  const format = await formatOf(file);
  if (format === undefined) return;
  let endsInRow = false;
  async function* rows() {
    for await (const piece of cutFile(file.path, format!)) {
      endsInRow = piece.kind === 'row';
      if (piece.kind === 'row') yield { piece, toLint: rowToLint(piece) };
    }
  }
  const begin = async ({ piece, toLint }: PlacedRow) => {
    try {
      return await lint(toLint);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new Error(`${file.path}: row ${piece.row}: ${(error as Error).message}`, { cause: error });
    }
  };
  let last: Worked<PlacedRow, LintedTexts> | undefined;
  for await (last of inOrder(rows(), begin, { weigh: ({ toLint }) => lintWeight(toLint) })) {
    const { item, result } = last;
    if (item.piece.row === 1 && isForeign(file, result.texts, result)) return;
    yield lintedRow(file, item.piece, result.texts) ?? unreadableRow(file, item.piece, result);
  }
  if (last && 'problem' in last.result && endsInRow) refuseCutOff(file.path, format, last.item.piece);
  refuseEmpty(file, last?.item.piece.row ?? 0);
}

/** A row and its place in a file. */
interface PlacedRow {
  readonly piece: CutRow;
  readonly toLint: RowToLint;
}

/** Roughly the bytes of a row. */
export function lintWeight(row: RowToLint): number {
  return 'bytes' in row ? row.bytes.length : row.texts.reduce((sum, { text }) => sum + text.length, 0);
}

function rowToLint(row: CutRow | FileRow): RowToLint {
  if (!('parsed' in row)) return { bytes: row.bytes };
  return { texts: 'value' in row.parsed ? textsToLint(row.parsed.value) : [] };
}

function textsToLint(row: JsonValue): TextToLint[] {
  return rowTexts(row).map(({ text, profile }) => ({ text, profile }));
}

/** The same row without the piece of the file that its bytes are a view of. */
export function packRow(row: RowToLint): RowToLint {
  return 'bytes' in row ? { bytes: new Uint8Array(row.bytes) } : row;
}

/** Checks rows with these options. */
export function rowLinter({ linter, ...profiles }: LintOptions): LintRow {
  const lintText = async (row: TextToLint): Promise<LintedText> => {
    const { profile, guessed } = profileOfRow(row, profiles);
    const findings = await linter.lint(profile, row.text);
    return { profile: { name: profile.name, guessed }, findings: withPlaces(findings, row.text) };
  };
  const lintTexts = async (texts: readonly TextToLint[]) => ({
    texts: await Promise.all(texts.map(lintText)),
  });
  return async (row) => {
    if ('texts' in row) return lintTexts(row.texts);
    const parsed = parseRow(row.bytes);
    return 'problem' in parsed ? { texts: [], ...parsed } : lintTexts(textsToLint(parsed.value));
  };
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfRow(
  row: TextToLint,
  options: Pick<LintOptions, 'profiles' | 'profile'>,
): { readonly profile: Profile; readonly guessed: boolean } {
  const stated = options.profile ?? options.profiles.find((profile) => profile.name === row.profile);
  if (stated) return { profile: stated, guessed: false };
  return { profile: guessProfile(options.profiles, row.text), guessed: true };
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
      : { rule: 'unknown_row', offset: 0, message: `expected ${knownTextLayouts}` };
  const findings = withPlaces([finding], '').map(inFile(file, piece, null));
  return { row, bytesRead, findings, profile: undefined };
}

function withPlaces(findings: readonly TextFinding[], text: string): PlacedFinding[] {
  const offsets = findings.map((finding) => finding.offset);
  const places = lineColumns(text, offsets);
  return findings.map((finding, at) => ({ ...places[at]!, ...finding }));
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
