import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { suggestion } from '../../base/nearestName.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { readRunFile } from './runFile.ts';
import { RUNS_DIR, runNames } from './runNames.ts';

export interface FoundRun {
  readonly folder: string;
  readonly run: RunFile;
}

/**
 * Finds a run by its name under `runs/`, or by its folder. A copied run uses its folder's name. Throws `UserError` if
 * it does not exist.
 */
export async function findRun(nameOrFolder: string): Promise<FoundRun> {
  for (const folder of [resolve(RUNS_DIR, nameOrFolder), resolve(nameOrFolder)]) {
    const run = await readRunFile(folder);
    if (run) return { folder, run: { ...run, name: basename(folder) } };
  }
  const [nearby] = globSync(join('*', RUNS_DIR, nameOrFolder, 'run.json'));
  const known = runNames();
  const hint =
    nearby !== undefined
      ? `one is at ${runWord(resolve(nearby, '..'))}`
      : known.length === 0
        ? 'there is no run yet: coa-distill run makes one'
        : suggestion(nameOrFolder, known);
  const where = existsSync(nameOrFolder) ? 'and what is there is not a run folder' : 'nor as a folder';
  throw new UserError(`no run "${nameOrFolder}" under ${RUNS_DIR}/ ${where}; ${hint}`);
}

/** Argument to type for a run: its name if under `runs/`, otherwise its folder. */
export function runWord(folder: string): string {
  return quoteShellWord(runPath(folder));
}

export function runPath(folder: string): string {
  const name = relative(RUNS_DIR, folder);
  return name.startsWith('..') ? relative('', folder) : name;
}

/**
 * Warns if a run or an evaluation of the same name exists in the other location (working directory or configuration's
 * folder), since a new one pays for every call again.
 *
 * @param folder absolute, of the run or evaluation that is about to begin
 * @param configFile whose run it is
 */
export function sameNameNotice(folder: string, configFile: string): string | undefined {
  if (isBegun(folder)) return undefined;
  const places = [RUNS_DIR, join(dirname(configFile), '..', RUNS_DIR)].map((place) => resolve(place));
  const place = places.find(
    (runs) => join(runs, basename(folder)) !== folder && isBegun(join(runs, basename(folder))),
  );
  if (place === undefined) return undefined;
  return `note: ${relative('', folder)} is new, and its calls are paid for; one of the same name is at ${runWord(join(place, basename(folder)))}: resume that with --set runs_dir=${quoteShellWord(place)}`;
}

/** An evaluation contains a run per benchmark. */
function isBegun(folder: string): boolean {
  return globSync('{run.json,*/run.json}', { cwd: folder }).length > 0;
}
