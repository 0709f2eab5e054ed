import { sha256Hex } from '../../base/ids.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { type CutRow, type FileRow, parseRow, type RowContent } from '../../base/rows/fileRow.ts';
import type { PackedItem } from '../../base/threads/threadPool.ts';
import { UserError } from '../../base/userError.ts';
import { type PairSide, pairSides } from '../../schemas/audit.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { lineColumns } from '../../schemas/coa/parseIssue.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import { answerColumns, readDatasetRow } from '../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';
import type { DecodeIds } from '../tokenizers/decodeIds.ts';
import type { LintText } from './createTextLinter.ts';
import type { LintFinding, TextFinding } from './finding.ts';
import { lintRules } from './rules/ruleTable.ts';

/** Whose grammar rows are held against. */
export interface ProfileOptions {
  /** Profiles to guess from, and to look a row's own profile up in; at least one. */
  readonly profiles: readonly Profile[];
  /** The profile of every row, where the user names one. */
  readonly profile: Profile | undefined;
}

/** What rows are checked with. */
export interface LintOptions extends ProfileOptions {
  readonly lintText: LintText;
  /** Gives the text of rows that come as ids. */
  readonly decode: DecodeIds;
  /** Whether rows of several files are told apart, see `LintedRow.digest`; default: no. */
  readonly digests?: boolean;
}

/** A row as it comes from its file; whoever checks it parses its JSON. */
export type RowPiece = CutRow | FileRow;

/** Rows of a file, one behind the other, that are checked together. */
export interface RowsToLint {
  /** Path as the user gave it. */
  readonly file: string;
  readonly rows: readonly RowPiece[];
}

/** What became of one row. */
export interface LintedRow {
  readonly row: number;
  readonly bytesRead: number;
  readonly findings: readonly LintFinding[];
  /** The profile that it was checked against, and whether that was guessed; undefined for rows that can't be read. */
  readonly profile: { readonly name: string; readonly guessed: boolean } | undefined;
  /** Equal for rows that say the same, whatever their layout; absent for rows that can't be read, or where nobody asks. */
  readonly digest?: string | undefined;
}

/** Checks rows, and says of each what became of it; may be asked for more at once. */
export type LintRows = (rows: RowsToLint) => Promise<LintedRow[]>;

/** Roughly the bytes of rows. */
export function lintWeight({ rows }: Pick<RowsToLint, 'rows'>): number {
  return rows.reduce((sum, row) => sum + (row.bytes?.length ?? cellsWeight(row as FileRow)), 0);
}

function cellsWeight(row: RowContent): number {
  const cells = Object.values('value' in row && isJsonObject(row.value) ? row.value : {});
  return cells.reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' || Array.isArray(cell) ? cell.length : 1),
    0,
  );
}

/** The same rows without the pieces of the file that their bytes are views of. */
export function packRows({ file, rows }: RowsToLint): PackedItem<RowsToLint> {
  const all = new Uint8Array(rows.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0));
  let end = 0;
  const packed = rows.map((row) => {
    if (!row.bytes) return row;
    all.set(row.bytes, end);
    end += row.bytes.length;
    return { ...row, bytes: all.subarray(end - row.bytes.length, end) };
  });
  return { item: { file, rows: packed }, transfer: [all.buffer] };
}

/** Checks rows with these options, one after the other. Its errors name the file and the row. */
export function rowLinter(options: LintOptions): LintRows {
  return async ({ file, rows }) => {
    const linted: LintedRow[] = [];
    for (const piece of rows) {
      try {
        linted.push(await lintRow(file, piece, options));
      } catch (error) {
        if (error instanceof UserError) throw error;
        throw new Error(`${file}: row ${piece.row}: ${(error as Error).message}`, { cause: error });
      }
    }
    return linted;
  };
}

async function lintRow(file: string, piece: RowPiece, options: LintOptions): Promise<LintedRow> {
  const { row, bytesRead } = piece;
  const content = 'endsFile' in piece ? parseRow(piece.bytes) : piece;
  const texts = 'value' in content ? await textsToLint(content.value, options.decode) : [];
  if (texts.length === 0) {
    const findings = inFile(file, piece, { text: '', profile: null }, [unreadable(content)]);
    return { row, bytesRead, findings, profile: undefined };
  }
  const linted = await Promise.all(
    texts.map(async (said, at) => {
      const { profile, guessed } = profileOfRow(said, options);
      const side = texts.length > 1 ? pairSides[at] : undefined;
      const found = await options.lintText(profile, said.text);
      const about = { text: said.text, profile: profile.name, side };
      const bare = options.digests ? bareText(said.text, found) : '';
      return { name: profile.name, guessed, findings: inFile(file, piece, about, found), bare };
    }),
  );
  const [{ name, guessed }] = linted as [(typeof linted)[number]];
  const findings = linted.flatMap((text) => text.findings);
  const digest = options.digests ? sha256Hex(linted.map(({ bare }) => bare).join('\0')) : undefined;
  return { row, bytesRead, findings, profile: { name, guessed }, digest };
}

/** Formats differ in the backslashes before text that spells one of their tokens, and in the normal form. */
function bareText(text: string, found: readonly TextFinding[]): string {
  const isNormal = found.every(({ rule }) => rule !== 'not_nfc');
  return (isNormal ? text : normalForm(text, 'NFC')).toWellFormed().replaceAll('\\', '');
}

function unreadable(content: RowContent): TextFinding {
  return 'problem' in content
    ? { rule: 'broken_row', offset: 0, message: content.problem }
    : { rule: 'unknown_row', offset: 0, message: `expected ${answerColumns}` };
}

/** Findings of a text, in the order of their offsets, with their places in the file. */
function inFile(
  file: string,
  { row, line: file_line }: RowPiece,
  { text, profile, side }: TextToLint & { readonly side?: PairSide | undefined },
  found: readonly TextFinding[],
): LintFinding[] {
  const offsets = found.map(({ offset }) => offset);
  const places = lineColumns(text, offsets);
  return found.map((finding, at) => {
    const { severity } = lintRules[finding.rule];
    return { file, row, ...(side && { side }), file_line, ...places[at]!, ...finding, severity, profile };
  });
}

/** A trajectory's text, and the profile that its row names. */
export interface TextToLint {
  readonly text: string;
  readonly profile: string | null;
}

/** What is checked of a row's value: one text, both sides of a pair, or none where it holds no answer. */
export async function textsToLint(value: JsonValue, decode: DecodeIds): Promise<TextToLint[]> {
  const read = readDatasetRow(value);
  const decoded = isProblem(read) ? read : await withTokenText(read, decode);
  return isProblem(decoded) ? [] : textsOf(decoded);
}

function textsOf({ text, profile, pair }: DatasetRow): TextToLint[] {
  if (pair) return [...textsOf(pair.chosen), ...textsOf(pair.rejected)];
  return text === null ? [] : [{ text, profile }];
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfRow(
  row: TextToLint,
  options: ProfileOptions,
): { readonly profile: Profile; readonly guessed: boolean } {
  const stated = options.profile ?? options.profiles.find((profile) => profile.name === row.profile);
  if (stated) return { profile: stated, guessed: false };
  return { profile: guessProfile(options.profiles, row.text), guessed: true };
}
