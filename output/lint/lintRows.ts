import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { parseRow, type RowContent } from '../../base/rows/fileRow.ts';
import type { PackedItem } from '../../base/threads/threadPool.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { lineColumns } from '../../schemas/coa/lineColumns.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { readDatasetRow } from '../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';
import type { DecodeIds } from '../tokenizers/decodeIds.ts';
import type { TextLinter } from './createTextLinter.ts';
import type { LintFinding, TextFinding } from './finding.ts';

/** What rows are checked with. */
export interface LintOptions {
  readonly linter: TextLinter;
  /** Gives the text of rows that come as ids. */
  readonly decode: DecodeIds;
  /** Profiles to guess from, and to look a row's own profile up in; at least one. */
  readonly profiles: readonly Profile[];
  /** The profile of every row, where the user names one. */
  readonly profile: Profile | undefined;
}

/** Rows of a file, one behind the other, that are checked together. */
export interface RowsToLint {
  /** Number of the first, from 1. */
  readonly first: number;
  readonly rows: readonly RowToLint[];
}

/** What is checked of a row: its bytes in a file of JSON, which whoever checks it parses, or what it says. */
export type RowToLint = { readonly bytes: Uint8Array } | RowContent;

/** A trajectory's text, and the profile that its row names. */
export interface TextToLint {
  readonly text: string;
  readonly profile: string | null;
}

/** What the rules say of a row's text, before it is known where the row stands. */
export interface LintedText {
  readonly profile: { readonly name: string; readonly guessed: boolean };
  readonly findings: readonly PlacedFinding[];
}

/** A finding with its place in the row's text. */
export type PlacedFinding = TextFinding & Pick<LintFinding, 'line' | 'column'>;

/** What became of a row: its texts, or none and why it could not be read; neither where its layout is unknown. */
export interface LintedTexts {
  readonly texts: readonly LintedText[];
  readonly problem?: string;
}

/** Checks rows, and says of each what became of it; may be asked for more at once. Its errors begin with the row. */
export type LintRows = (rows: RowsToLint) => Promise<LintedTexts[]>;

/** Roughly the bytes of rows. */
export function lintWeight({ rows }: RowsToLint): number {
  return rows.reduce((sum, row) => sum + rowBytes(row), 0);
}

/** Roughly the bytes of a row. */
export function rowBytes(row: RowToLint): number {
  if ('bytes' in row) return row.bytes.length;
  const cells = Object.values('value' in row && isJsonObject(row.value) ? row.value : {});
  return cells.reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' || Array.isArray(cell) ? cell.length : 1),
    0,
  );
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

/** The same rows without the pieces of the file that their bytes are views of. */
export function packRows({ first, rows }: RowsToLint): PackedItem<RowsToLint> {
  const all = new Uint8Array(rows.reduce((sum, row) => sum + ('bytes' in row ? row.bytes.length : 0), 0));
  let end = 0;
  const packed = rows.map((row) => {
    if (!('bytes' in row)) return row;
    all.set(row.bytes, end);
    end += row.bytes.length;
    return { bytes: all.subarray(end - row.bytes.length, end) };
  });
  return { item: { first, rows: packed }, transfer: [all.buffer] };
}

/** Checks rows with these options, one after the other. */
export function rowLinter({ linter, decode, ...profiles }: LintOptions): LintRows {
  const lintText = async (row: TextToLint): Promise<LintedText> => {
    const { profile, guessed } = profileOfRow(row, profiles);
    const findings = await linter.lint(profile, row.text);
    return { profile: { name: profile.name, guessed }, findings: withPlaces(findings, row.text) };
  };
  const lintRow = async (row: RowToLint): Promise<LintedTexts> => {
    const parsed = 'bytes' in row ? parseRow(row.bytes) : row;
    if ('problem' in parsed) return { texts: [], problem: parsed.problem };
    const texts = await textsToLint(parsed.value, decode);
    return { texts: await Promise.all(texts.map(lintText)) };
  };
  return async ({ first, rows }) => {
    const linted: LintedTexts[] = [];
    for (const row of rows) {
      try {
        linted.push(await lintRow(row));
      } catch (error) {
        throw new Error(`row ${first + linted.length}: ${(error as Error).message}`, { cause: error });
      }
    }
    return linted;
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

/** Findings of a text with their lines and columns. */
export function withPlaces(findings: readonly TextFinding[], text: string): PlacedFinding[] {
  const offsets = findings.map((finding) => finding.offset);
  const places = lineColumns(text, offsets);
  return findings.map((finding, at) => ({ ...places[at]!, ...finding }));
}
