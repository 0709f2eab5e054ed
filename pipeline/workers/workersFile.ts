import { join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { parseSealedAs, readStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { type WorkerEntry, type WorkersFile, workersFileSchema } from '../../schemas/run/workersFile.ts';

/** What stands for the address of a server that a run starts for itself. */
export const OWN_DATABASE = 'its own database';

const WORKERS_FILE = 'workers.json';

/** The workers of a run; null for one that never had any. Throws `UserError` when the file is damaged. */
export async function readWorkersFile(runFolder: string): Promise<WorkersFile | null> {
  const parse = (bytes: Buffer) => parseSealedAs(workersFileSchema, bytes);
  const advice = 'restore it, or remove it and start without workers';
  return (await readStored([runFolder, WORKERS_FILE], parse, advice)) ?? null;
}

/** What is known of workers before there are any. */
export const noWorkers = {
  workers: [],
  caps: { cost_usd: null, tokens: null },
  shards: { ready: 0, taken: 0, done: 0, alone: 0 },
  set_aside: 0,
} satisfies Partial<WorkersFile>;

/** The workers of sessions that came to their end: the database has nothing of them any more. */
export function earlierWorkers(file: WorkersFile | null): WorkerEntry[] {
  if (!file) return [];
  return file.open ? file.earlier : [...file.earlier, ...file.workers];
}

/** Replaces what is said of a run's workers. */
export function writeWorkersFile(runFolder: string, file: WorkersFile): Promise<void> {
  return replaceFile(join(runFolder, WORKERS_FILE), sealedFile(file));
}

/**
 * Answers that workers paid for, and what they spent, may be in the database alone.
 *
 * @throws UserError for a run that was cut off with workers and goes on without
 */
export async function refuseWithoutWorkers(runFolder: string): Promise<void> {
  const file = await readWorkersFile(runFolder);
  if (!file?.open) return;
  const resume = file.database === OWN_DATABASE ? '2' : file.database;
  throw new UserError(
    `${runFolder} was cut off while workers were at it: answers that are paid for are in ${file.database}; resume with --workers ${resume}, or remove workers.json to pay for them again`,
  );
}
