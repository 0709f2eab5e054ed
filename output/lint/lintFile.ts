import { inOrder } from '../../base/threads/inOrder.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { lineColumns } from '../../schemas/coa/lineColumns.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { TextLinter } from './createTextLinter.ts';
import type { LintFinding, TextFinding } from './finding.ts';
import type { DatasetFile } from './read/findDatasetFiles.ts';
import { readTrajectories, type TrajectoryRow } from './read/readTrajectories.ts';
import { type FileRow, knownTextLayouts, type RowText } from './read/rowText.ts';
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

/** What is checked of a row. */
export type RowToLint = Pick<RowText, 'text' | 'profile'>;

/** What the rules say of a row's text, before it is known where the row stands. */
export interface LintedText {
  readonly profile: { readonly name: string; readonly guessed: boolean };
  readonly findings: readonly PlacedFinding[];
}

/** A finding with its place in the row's text. */
type PlacedFinding = TextFinding & Pick<LintFinding, 'line' | 'column'>;

/** Checks a row; several may be asked for at once. */
export type LintRow = (row: RowToLint) => Promise<LintedText>;

/** Lints a file row by row, in its order; throws as {@link readTrajectories} does. */
export async function* lintFile(file: DatasetFile, lint: LintRow): AsyncGenerator<LintedRow> {
  const begin = ({ found }: TrajectoryRow) =>
    Promise.all(found.map(({ text, profile }) => lint({ text, profile })));
  const weigh = ({ found }: TrajectoryRow) => found.reduce((sum, { text }) => sum + text.length, 0);
  for await (const { item, result } of inOrder(rowsOf(file), begin, { weigh })) {
    yield lintedRow(file, item, result) ?? unreadableRow(file, item);
  }
}

async function* rowsOf(file: DatasetFile): AsyncGenerator<TrajectoryRow> {
  for await (const piece of readTrajectories(file)) if (piece.kind === 'row') yield piece;
}

/** Checks rows with these options. */
export function rowLinter({ linter, ...profiles }: LintOptions): LintRow {
  return async (row) => {
    const { profile, guessed } = profileOfRow(row, profiles);
    const findings = await linter.lint(profile, row.text);
    return { profile: { name: profile.name, guessed }, findings: withPlaces(findings, row.text) };
  };
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfRow(
  row: RowToLint,
  options: Pick<LintOptions, 'profiles' | 'profile'>,
): { readonly profile: Profile; readonly guessed: boolean } {
  const stated = options.profile ?? options.profiles.find((profile) => profile.name === row.profile);
  if (stated) return { profile: stated, guessed: false };
  return { profile: guessProfile(options.profiles, row.text), guessed: true };
}

/** Undefined for a row without texts. */
function lintedRow(file: DatasetFile, piece: FileRow, texts: readonly LintedText[]): LintedRow | undefined {
  const { row, bytesRead } = piece;
  const findings = texts.flatMap((text) => text.findings.map(inFile(file, piece, text.profile.name)));
  return texts[0] && { row, bytesRead, findings, profile: texts[0].profile };
}

function unreadableRow(file: DatasetFile, piece: FileRow): LintedRow {
  const { row, bytesRead } = piece;
  const finding: TextFinding =
    'problem' in piece.parsed
      ? { rule: 'broken_row', offset: 0, message: piece.parsed.problem }
      : { rule: 'unknown_row', offset: 0, message: `expected ${knownTextLayouts}` };
  const findings = withPlaces([finding], '').map(inFile(file, piece, null));
  return { row, bytesRead, findings, profile: undefined };
}

function withPlaces(findings: readonly TextFinding[], text: string): PlacedFinding[] {
  const offsets = findings.map((finding) => finding.offset);
  const places = lineColumns(text, offsets);
  return findings.map((finding, at) => ({ ...places[at]!, ...finding }));
}

function inFile(file: DatasetFile, piece: FileRow, profile: string | null) {
  return (finding: PlacedFinding): LintFinding => ({
    file: file.path,
    row: piece.row,
    file_line: piece.line,
    ...finding,
    severity: lintRules[finding.rule].severity,
    profile,
  });
}
