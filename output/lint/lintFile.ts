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

/** Lints a file row by row; throws as {@link readTrajectories} does. */
export async function* lintFile(file: DatasetFile, options: LintOptions): AsyncGenerator<LintedRow> {
  for await (const piece of readTrajectories(file)) {
    if (piece.kind === 'between') continue;
    yield await lintRow(file, piece, options);
  }
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfRow(
  row: RowText,
  options: Pick<LintOptions, 'profiles' | 'profile'>,
): { readonly profile: Profile; readonly guessed: boolean } {
  const stated = options.profile ?? options.profiles.find((profile) => profile.name === row.profile);
  if (stated) return { profile: stated, guessed: false };
  return { profile: guessProfile(options.profiles, row.text), guessed: true };
}

async function lintRow(file: DatasetFile, piece: TrajectoryRow, options: LintOptions): Promise<LintedRow> {
  const [first] = piece.found;
  if (first === undefined) return unreadableRow(file, piece);
  const findings: LintFinding[] = [];
  for (const text of piece.found) {
    const { profile } = profileOfRow(text, options);
    const found = await options.linter.lint(profile, text.text);
    findings.push(...placed(file, piece, found, text.text, profile.name));
  }
  const { profile, guessed } = profileOfRow(first, options);
  return { row: piece.row, bytesRead: piece.bytesRead, findings, profile: { name: profile.name, guessed } };
}

function unreadableRow(file: DatasetFile, piece: FileRow): LintedRow {
  const finding: TextFinding =
    'problem' in piece.parsed
      ? { rule: 'broken_row', offset: 0, message: piece.parsed.problem }
      : { rule: 'unknown_row', offset: 0, message: `expected ${knownTextLayouts}` };
  return {
    row: piece.row,
    bytesRead: piece.bytesRead,
    findings: placed(file, piece, [finding], '', null),
    profile: undefined,
  };
}

function placed(
  file: DatasetFile,
  piece: FileRow,
  findings: readonly TextFinding[],
  text: string,
  profile: string | null,
): LintFinding[] {
  const places = lineColumns(
    text,
    findings.map((finding) => finding.offset),
  );
  return findings.map((finding, at) => ({
    file: file.path,
    row: piece.row,
    file_line: piece.line,
    ...places[at]!,
    ...finding,
    severity: lintRules[finding.rule].severity,
    profile,
  }));
}
