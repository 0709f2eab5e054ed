import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../../base/packageVersion.ts';
import { type BoundProcess, startBoundProcess } from '../../../base/processes/boundProcess.ts';
import { UserError } from '../../../base/userError.ts';
import type { CoordinatorOptions } from '../runEntry.ts';
import { OWN_DATABASE } from '../workersFile.ts';
import { type OwnDatabase, startOwnDatabase } from './ownDatabase.ts';
import { SharedDatabase } from './sharedDatabase.ts';

/** Workers that crash are started again so often, all of a run together. */
const MOST_RESTARTS = 10;
/** Exit code of a command that a user has to fix something for. */
const USER_ERROR = 2;

export type RunDatabase = Awaited<ReturnType<typeof openRunDatabase>>;

/**
 * Connects to the database that was named, or to a server that is started. The server of a run, and workers that it
 * starts on this machine, end with this process, however that ends.
 *
 * @throws UserError where that fails
 */
export async function openRunDatabase({ workers, runFolder, session }: CoordinatorOptions) {
  const own =
    workers.database === undefined
      ? await startOwnDatabase(runFolder, { workers: workers.processes, env: session.env })
      : undefined;
  const url = workers.database ?? own!.url;
  const shared = await openShared(url, own, session.log);
  const started = new Set<BoundProcess>();
  let restarts = 0;
  let isStopped = false;

  const startWorker = async (onFault: (error: UserError) => void): Promise<void> => {
    const logFile = join(runFolder, 'workers.log');
    const argv = [process.execPath, join(packageFolder(), 'bin/coa-distill.js'), 'workers', 'join'];
    // Not among the arguments, which every user of the machine can see.
    const env = { ...session.env, COA_DISTILL_DATABASE: url };
    const worker = await startBoundProcess(argv, { cwd: runFolder, env, logFile });
    started.add(worker);
    void worker.ended.then(async (code) => {
      started.delete(worker);
      // With code 0 it was told to leave.
      if (isStopped || code === 0) return;
      if (code !== USER_ERROR && restarts++ < MOST_RESTARTS) return startWorker(onFault);
      onFault(new UserError((await lastError(logFile)) ?? `workers ended with code ${code}: see ${logFile}`));
    });
  };
  const stopWorkers = async () => {
    isStopped = true;
    await Promise.all([...started].map((worker) => worker.stop()));
  };

  return {
    shared,
    /** False once the last of the workers that the run started was told to leave. */
    hasWorkers: () => started.size > 0,
    /** @param onFault called with the reason why workers can't be had */
    async startWorkers(onFault: (error: UserError) => void): Promise<void> {
      for (let n = 0; n < workers.processes; n++) await startWorker(onFault);
    },
    stopWorkers,
    /** @param remove the data of the run's own server is not needed any more */
    async close({ remove }: { readonly remove: boolean }): Promise<void> {
      await stopWorkers();
      await shared.close();
      await own?.stop({ remove });
    },
  };
}

async function openShared(url: string, own: OwnDatabase | undefined, log: (line: string) => void) {
  try {
    return await SharedDatabase.open(url, log, own && { name: OWN_DATABASE });
  } catch (error) {
    await own?.stop({ remove: false });
    throw error;
  }
}

/** The last line of a worker's log that tells of an error. */
async function lastError(logFile: string): Promise<string | undefined> {
  const lines = existsSync(logFile) ? (await readFile(logFile, 'utf8')).trimEnd().split('\n') : [];
  return lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length);
}
