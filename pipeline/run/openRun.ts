import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { onDisk, systemErrorCode } from '../../base/files/diskError.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { readPlain } from '../../base/files/plainFile.ts';
import { canonicalJson } from '../../base/ids.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { safeParseJson } from '../../base/json.ts';
import { parseSealedAs } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { restoreSetAside } from '../../output/dataset/partialFolder.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import { type RunFile, runFileSchema } from '../../schemas/run/runFile.ts';
import { markStaleFrom } from './markStale.ts';
import { type RetriedInputs, type RetryWish, retryFailed } from './retryFailed.ts';

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

/** What the user wants made again. */
interface RedoWish {
  /** This stage and every later one. */
  readonly from?: StageName | undefined;
  /** Inputs that failed. */
  readonly retry?: RetryWish | undefined;
}

/** What opening a run depends on. */
interface OpeningOptions extends RedoWish {
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

/** Reads a run folder's `run.json`; undefined when there is none. Throws `UserError` when it is damaged. */
export async function readRunFile(folder: string): Promise<RunFile | undefined> {
  const path = join(folder, 'run.json');
  let bytes: Buffer = Buffer.alloc(0);
  try {
    bytes = await readPlain(path);
    return parseSealedAs(runFileSchema, bytes);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const newer = newerFileSchema.safeParse(jsonOf(bytes)).data;
    throw new UserError(
      newer
        ? `${path}: made by coa-distill version ${newer.coa_distill_version}, whose files this version does not know; update coa-distill`
        : `${path}: no longer a run's file (${(error as Error).message}); restore it, or remove the folder and run again`,
      { cause: error },
    );
  }
}

/** What a later version's file says whatever else it holds. */
const newerFileSchema = z.object({ format_version: z.int().min(2), coa_distill_version: z.string() });

function jsonOf(bytes: Buffer): unknown {
  const parsed = safeParseJson(bytes.toString('utf8'));
  return parsed.ok ? parsed.value : undefined;
}

/** Notes formats that were added to the dataset of a run that is locked. */
export async function noteAddedFormats(folder: string, added: readonly DatasetFormatName[]): Promise<void> {
  const run = await readRunFile(folder);
  if (run) await writeRunFile(folder, { ...run, added_formats: [...(run.added_formats ?? []), ...added] });
}

function writeRunFile(folder: string, run: RunFile): Promise<void> {
  return replaceFile(join(folder, 'run.json'), sealedFile(run));
}

async function adopt(
  folder: string,
  wanted: RunFile,
  { from, retry, planned }: OpeningOptions,
): Promise<RetriedInputs | undefined> {
  const existing = await readRunFile(folder);
  if (planned !== undefined) refuseOvertaken(folder, { planned, existing, wanted });
  if (!existing) await refuseForeign(folder);
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
    `${folder} is there and is no run: it holds ${foreign}, but no run.json; choose another --name, or move it away`,
  );
}

interface Opening {
  readonly planned: string | null;
  readonly existing: RunFile | undefined;
  readonly wanted: RunFile;
}

/** What another process did meanwhile, by newer settings or reviews, would be undone, and what it paid for spent again. */
function refuseOvertaken(folder: string, { planned, existing, wanted }: Opening): void {
  const found = existing?.config_hash ?? null;
  if (found === planned || found === wanted.config_hash) return;
  throw new UserError(
    `${folder}: another command has worked on it by other settings or reviews since this one began; start this one again`,
  );
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
