import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { lineColumns } from '../../schemas/coa/lineColumns.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { TextLinter } from './createTextLinter.ts';
import type { LintFinding, TextFinding } from './finding.ts';
import type { DatasetFile } from './read/findDatasetFiles.ts';
import { readTrajectories } from './read/readTrajectories.ts';
import { type FileRow, knownLayouts, type RowText } from './read/rowText.ts';
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
    yield piece.found ? await lintRow(file, piece, piece.found, options) : unreadableRow(file, piece);
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

async function lintRow(
  file: DatasetFile,
  piece: FileRow,
  row: RowText,
  options: LintOptions,
): Promise<LintedRow> {
  const { profile, guessed } = profileOfRow(row, options);
  const findings = await options.linter.lint(profile, row.text);
  return {
    row: piece.row,
    bytesRead: piece.bytesRead,
    findings: placed(file, piece, findings, row.text, profile.name),
    profile: { name: profile.name, guessed },
  };
}

function unreadableRow(file: DatasetFile, piece: FileRow): LintedRow {
  const finding: TextFinding =
    'problem' in piece.parsed
      ? { rule: 'broken_row', offset: 0, message: piece.parsed.problem }
      : { rule: 'unknown_row', offset: 0, message: `expected ${knownLayouts}` };
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
