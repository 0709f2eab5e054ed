import { join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { parseSealedAs, readStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { type WorkerEntry, type WorkersFile, workersFileSchema } from '../../schemas/run/workersFile.ts';

/** Placeholder for the address of a run's own server. */
export const OWN_DATABASE = 'its own database';

const WORKERS_FILE = 'workers.json';

/** Reads the workers of a run; null if it never had any. Throws `UserError` if the file is damaged. */
export async function readWorkersFile(runFolder: string): Promise<WorkersFile | null> {
  const parse = (bytes: Buffer) => parseSealedAs(workersFileSchema, bytes);
  const advice = 'restore it, or remove it and start without workers';
  return (await readStored([runFolder, WORKERS_FILE], parse, advice)) ?? null;
}

/** Initial content of the workers file. */
export const noWorkers = {
  workers: [],
  caps: { cost_usd: null, tokens: null },
  shards: { ready: 0, taken: 0, done: 0, alone: 0 },
  set_aside: 0,
} satisfies Partial<WorkersFile>;

/** Workers of finished sessions, which are no longer in the database. */
export function earlierWorkers(file: WorkersFile | null): WorkerEntry[] {
  if (!file) return [];
  return file.open ? file.earlier : [...file.earlier, ...file.workers];
}

export function writeWorkersFile(runFolder: string, file: WorkersFile): Promise<void> {
  return replaceFile(join(runFolder, WORKERS_FILE), sealedFile(file));
}

/**
 * Rejects resuming without workers after an interrupted run with workers, since paid answers and spending may exist
 * only in the database.
 *
 * @throws UserError for such a run
 */
export async function refuseWithoutWorkers(runFolder: string): Promise<void> {
  const file = await readWorkersFile(runFolder);
  if (!file?.open) return;
  const resume = file.database === OWN_DATABASE ? '2' : file.database;
  throw new UserError(
    `${runFolder} was cut off while workers were at it: answers that are paid for are in ${file.database}; resume with --workers ${resume}, or remove workers.json to pay for them again`,
  );
}
