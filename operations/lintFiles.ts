import { resolve, sep } from 'node:path';
import { type FoundRowFile, rowFilesAtAll } from '../base/rows/rowFilesAt.ts';
import { UserError } from '../base/userError.ts';
import { lintFile } from '../output/lint/lintFile.ts';
import type { LintedRow, ProfileOptions } from '../output/lint/lintRows.ts';
import { openRowLinter } from '../output/lint/lintWork.ts';
import { profilesOfRun, readProfiles } from '../pipeline/config/declaredProfiles.ts';
import { readRunFile } from '../pipeline/run/runFile.ts';
import { builtinRegistry, type ProfileRegistry } from '../schemas/coa/profileRegistry.ts';

interface ProfileChoice {
  /** Profile of all rows; default: each row's own, or the one that fits its tags. */
  readonly profile?: string;
  /** Configuration whose own profiles are known too; default: those of the run in whose dataset the files lie. */
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
  const profiles = await chosenProfiles(choice, files);
  const linter = await openRowLinter({ ...profiles, digests: files.length > 1 });
  try {
    for (const file of files)
      for await (const row of lintFile(file, (rows) => linter.run(rows))) yield { ...row, file };
  } finally {
    await linter.close();
  }
}

/** The profiles that are known, and the one that was named. Throws `UserError` for one that is unknown. */
async function chosenProfiles(
  { profile: name, config }: ProfileChoice,
  files: readonly FoundRowFile[],
): Promise<ProfileOptions> {
  const { profiles } = config === undefined ? await profilesBeside(files) : await readProfiles(config);
  if (name === undefined) return { profiles, profile: undefined };
  const profile = profiles.find((known) => known.name === name);
  if (profile) return { profiles, profile };
  const known = profiles.map((each) => each.name).join(', ');
  throw new UserError(`--profile ${name}: expected one of ${known}`);
}

/** The profiles of the run in whose dataset all files lie; the built-in ones for any other files. */
async function profilesBeside(files: readonly FoundRowFile[]): Promise<ProfileRegistry> {
  const [folder, ...others] = new Set(files.map(({ path }) => runFolderAround(path)));
  const run = folder === undefined || others.length > 0 ? undefined : await readRunFile(folder);
  return run ? profilesOfRun(run.config) : builtinRegistry;
}

/** `RUN` of `RUN/dataset/...`; undefined for a file elsewhere. */
function runFolderAround(path: string): string | undefined {
  const parts = resolve(path).split(sep);
  const at = parts.lastIndexOf('dataset');
  return at < 1 ? undefined : parts.slice(0, at).join(sep);
}
