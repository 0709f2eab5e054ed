import { basename, resolve } from 'node:path';
import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { readRunFile } from '../pipeline/run/runFile.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { RUNS_DIR, runNames } from './runNames.ts';

/** A run, and where it lies. */
export interface FoundRun {
  readonly folder: string;
  readonly run: RunFile;
}

/**
 * Finds a run by its name under `runs/`, or by its folder. A run that was copied goes by its folder's name, whatever
 * its files say. Throws `UserError` when there is none.
 */
export async function findRun(nameOrFolder: string): Promise<FoundRun> {
  for (const folder of [resolve(RUNS_DIR, nameOrFolder), resolve(nameOrFolder)]) {
    const run = await readRunFile(folder);
    if (run) return { folder, run: { ...run, name: basename(folder) } };
  }
  throw new UserError(
    `no run "${nameOrFolder}" under ${RUNS_DIR}/ nor as a folder; ${suggestion(nameOrFolder, runNames())}`,
  );
}
