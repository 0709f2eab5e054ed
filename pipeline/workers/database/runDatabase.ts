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

/** Maximum restarts of crashed workers over the whole run. */
const MOST_RESTARTS = 10;
/** Exit code of an error that the user has to fix. */
const USER_ERROR = 2;

export type RunDatabase = Awaited<ReturnType<typeof openRunDatabase>>;

/**
 * Connects to the named database, or starts a server. The run's server and local workers end with this process, even if
 * killed.
 *
 * @throws UserError if that fails
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
    // Passed by environment, since arguments are visible to every user of the machine.
    const env = { ...session.env, COA_DISTILL_DATABASE: url };
    const worker = await startBoundProcess(argv, { cwd: runFolder, env, logFile });
    started.add(worker);
    void worker.ended.then(async (code) => {
      started.delete(worker);
      // Code 0 means that it was told to leave.
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
    /** False once all workers that the run started were told to leave. */
    hasWorkers: () => started.size > 0,
    /** @param onFault called with the reason if workers cannot be started */
    async startWorkers(onFault: (error: UserError) => void): Promise<void> {
      for (let n = 0; n < workers.processes; n++) await startWorker(onFault);
    },
    stopWorkers,
    /** @param remove deletes the data of the run's own server */
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

async function lastError(logFile: string): Promise<string | undefined> {
  const lines = existsSync(logFile) ? (await readFile(logFile, 'utf8')).trimEnd().split('\n') : [];
  return lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length);
}
