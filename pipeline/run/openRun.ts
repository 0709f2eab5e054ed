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

/** Run folder locked by this process. */
export interface OpenedRun {
  readonly folder: string;
  /** True if this call created the folder. */
  readonly isNew: boolean;
  readonly retried?: RetriedInputs;
  /** Unlocks the folder; `remove` deletes what this call created. */
  close(options?: { readonly remove: boolean }): Promise<void>;
}

interface OpeningOptions {
  readonly from?: StageName | undefined;
  readonly retry?: RetryOptions | undefined;
  /** `config_hash` of `run.json` at planning; null without a run; absent: not checked. */
  readonly planned?: string | null;
}

/**
 * Creates a run folder, or opens an existing one to resume it. Stages to rerun are marked on disk.
 *
 * @param wanted what the run is to be made with from now on
 * @throws UserError if the folder is not a run, belongs to an import of other files, is locked, was changed by another
 * process since `options.planned`, or contains no failure that `options.retry` selects
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

/** Locks a folder; on failure, removes a folder that was just created, unless another process uses it. */
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

/** Rejects a folder with files that are not part of a run. */
async function refuseForeign(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find((name) => !/^(?:lock$|lock\.json|run\.json\.tmp)/.test(name));
  if (foreign === undefined) return;
  throw new UserError(
    `${folder} exists and is not a run: it holds ${foreign}, but no run.json; choose another --name, or move it away`,
  );
}

/**
 * Rejects a run changed by another process in the meantime: resuming would undo its settings or reviews and pay again.
 */
function refuseOvertaken(folder: string, found: string | null, expected: readonly (string | null)[]): void {
  if (expected.includes(found)) return;
  throw new UserError(
    `${folder}: another command has worked on it by other settings or reviews since this one began; start this one again`,
  );
}

/** Rejects switching between task-making and dataset runs, which share no stage. */
function refuseOtherKind(folder: string, existing: RunFile, wanted: RunFile): void {
  const [was, is] = [existing, wanted].map((run) => (isSynthesis(run) ? 'synthesize' : 'run'));
  if (was === is) return;
  throw new UserError(`${folder} was made by coa-distill ${was}, not ${is}; choose another --name`);
}

/** Rejects an import of other files, since it would replace rows that no cache can restore. */
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

/** Empties a run folder except for its lock. */
async function removeContent(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^lock(?:\.json|$)/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes a new run folder, and a parent created with it, if empty. */
async function removeEmpty(folder: string, firstMade: string): Promise<void> {
  try {
    await rmdir(folder);
    if (firstMade !== folder) await rmdir(dirname(folder));
  } catch {
    // Another run uses it by now.
  }
}
