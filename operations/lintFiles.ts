import { type FoundRowFile, rowFilesAtAll } from '../base/rows/rowFilesAt.ts';
import { UserError } from '../base/userError.ts';
import { type LintedRow, lintFile } from '../output/lint/lintFile.ts';
import type { LintOptions } from '../output/lint/lintRows.ts';
import { openRowLinter } from '../output/lint/lintWork.ts';
import { readProfiles } from '../pipeline/config/declaredProfiles.ts';

/** Whose grammar rows are held against. */
interface ProfileChoice {
  /** Profile of all rows; default: each row's own, or the one that fits its tags. */
  readonly profile?: string;
  /** Configuration whose own profiles are known too. */
  readonly config?: string;
}

/** A row that was linted, and its file. */
export type LintedFileRow = LintedRow & { readonly file: FoundRowFile };

/**
 * Lints dataset files, or all of a folder, row by row.
 *
 * @throws UserError for a path or profile that there is not, and a file that can't be read to its end
 */
export async function* lintFiles(
  paths: readonly string[],
  choice: ProfileChoice = {},
): AsyncGenerator<LintedFileRow> {
  const files = await rowFilesAtAll(paths);
  const linter = await openRowLinter(await chosenProfiles(choice));
  try {
    for (const file of files)
      for await (const row of lintFile(file, (rows) => linter.run(rows))) yield { ...row, file };
  } finally {
    await linter.close();
  }
}

/** The profiles that are known, and the one that was named. Throws `UserError` for one that is unknown. */
export async function chosenProfiles({
  profile: name,
  config,
}: ProfileChoice): Promise<Pick<LintOptions, 'profiles' | 'profile'>> {
  const { profiles } = await readProfiles(config);
  if (name === undefined) return { profiles, profile: undefined };
  const profile = profiles.find((known) => known.name === name);
  if (profile) return { profiles, profile };
  const known = profiles.map((each) => each.name).join(', ');
  throw new UserError(`--profile ${name}: expected one of ${known}`);
}
