import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { canonicalJson } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { restoreSetAside } from '../../output/dataset/partialFolder.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { markStaleFrom } from './markStale.ts';
import { type RetriedInputs, type RetryOptions, retryFailed } from './retryFailed.ts';
import { isSynthesis, readRunFile, writeRunFile } from './runFile.ts';

/** A run folder, held by this process. */
export interface OpenedRun {
  readonly folder: string;
  /** True when the folder was made by this call. */
  readonly isNew: boolean;
  /** What `retry` reopened. */
  readonly retried?: RetriedInputs;
  /** Gives the folder back; with `remove` it takes along what this call made. */
  close(options?: { readonly remove: boolean }): Promise<void>;
}

interface OpeningOptions {
  /** This stage and every later one are made again. */
  readonly from?: StageName | undefined;
  /** Inputs that failed are worked on again. */
  readonly retry?: RetryOptions | undefined;
  /** `config_hash` of `run.json` when it was decided what to do, null where there was none; absent: not looked at. */
  readonly planned?: string | null;
}

/**
 * Makes a run folder, or opens an existing one to resume it. What is to be made again is noted, and stays until
 * then.
 *
 * @param wanted what the run is to be made with from now on
 * @throws UserError when the folder belongs to somebody else, to an import of other files or to another process, when
 * another process made it otherwise since `options.planned`, or when nothing failed as `options.retry` says
 */
export async function openRun(
  folder: string,
  wanted: RunFile,
  options: OpeningOptions = {},
): Promise<OpenedRun> {
  const firstMade = await makeFolder(folder);
  const isNew = firstMade !== undefined;
  const unlock = await lockNew(folder, firstMade);
  const leave = async (remove: boolean): Promise<void> => {
    if (isNew && remove) await removeContent(folder);
    await unlock();
    if (isNew && remove) await removeEmpty(folder, firstMade);
  };
  try {
    const retried = await adopt(folder, wanted, options);
    return {
      folder,
      isNew,
      ...(retried && { retried }),
      close: (options) => leave(options?.remove === true),
    };
  } catch (error) {
    await leave(true);
    throw error;
  }
}

/** Locks a folder; where that fails, a folder that was just made goes again, unless somebody else is in it by now. */
async function lockNew(folder: string, firstMade: string | undefined): Promise<() => Promise<void>> {
  try {
    return await lockFolder(folder);
  } catch (error) {
    if (firstMade !== undefined) await removeEmpty(folder, firstMade);
    throw error;
  }
}

async function adopt(
  folder: string,
  wanted: RunFile,
  { from, retry, planned }: OpeningOptions,
): Promise<RetriedInputs | undefined> {
  const existing = await readRunFile(folder);
  if (planned !== undefined)
    refuseOvertaken(folder, existing?.config_hash ?? null, [planned, wanted.config_hash]);
  if (!existing) await refuseForeign(folder);
  if (existing) refuseOtherKind(folder, existing, wanted);
  if (existing) refuseOtherImport(folder, existing, wanted);
  if (!existing && retry)
    throw new UserError(`--retry: there is no run in ${folder}; name one that was begun with --name`);
  await onDisk(folder, () => restoreSetAside(join(folder, 'dataset')));
  if (from) await markStaleFrom(folder, from);
  const retried = retry && (await retryFailed(folder, retry, wanted));
  const { created_at = wanted.created_at, added_formats } = existing ?? {};
  await writeRunFile(folder, { ...wanted, created_at, ...(added_formats && { added_formats }) });
  return retried;
}

/** A folder that holds anything but what a run begins with belongs to somebody else, whose files stay. */
async function refuseForeign(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find((name) => !/^(?:lock$|lock\.json|run\.json\.tmp)/.test(name));
  if (foreign === undefined) return;
  throw new UserError(
    `${folder} exists and is not a run: it holds ${foreign}, but no run.json; choose another --name, or move it away`,
  );
}

/** What another process did meanwhile, by newer settings or reviews, would be undone, and what it paid for spent again. */
function refuseOvertaken(folder: string, found: string | null, expected: readonly (string | null)[]): void {
  if (expected.includes(found)) return;
  throw new UserError(
    `${folder}: another command has worked on it by other settings or reviews since this one began; start this one again`,
  );
}

/** A run that makes tasks and one that makes a dataset of them have no stage in common. */
function refuseOtherKind(folder: string, existing: RunFile, wanted: RunFile): void {
  const [was, is] = [existing, wanted].map((run) => (isSynthesis(run) ? 'synthesize' : 'run'));
  if (was === is) return;
  throw new UserError(`${folder} was made by coa-distill ${was}, not ${is}; choose another --name`);
}

/** Rows of other files would take the place of those that were imported, which no cache brings back. */
function refuseOtherImport(folder: string, existing: RunFile, wanted: RunFile): void {
  if (importIdentity(existing) === importIdentity(wanted)) return;
  throw new UserError(
    `${folder} was made with another configuration: its rows ${existing.imported ? 'were imported from other files or in another way' : 'were not imported'}; choose another --name`,
  );
}

function importIdentity({ imported }: RunFile): string {
  if (!imported) return '';
  const { files, ...settings } = imported;
  return canonicalJson({ ...settings, files: files.map(({ identity }) => identity) });
}

/** Removes everything in a run folder but its lock, which keeps others out meanwhile. */
async function removeContent(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^lock(?:\.json|$)/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes a run folder that was just made, and the folder around it when that was made along, where they are empty. */
async function removeEmpty(folder: string, firstMade: string): Promise<void> {
  try {
    await rmdir(folder);
    if (firstMade !== folder) await rmdir(dirname(folder));
  } catch {
    // Somebody else's run is in it by now.
  }
}
