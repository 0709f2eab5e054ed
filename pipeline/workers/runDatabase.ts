import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../base/packageVersion.ts';
import { type BoundProcess, startBoundProcess } from '../../base/processes/boundProcess.ts';
import { UserError } from '../../base/userError.ts';
import { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { type OwnDatabase, startOwnDatabase } from './ownDatabase.ts';
import type { CoordinatorOptions } from './runEntry.ts';
import { OWN_DATABASE } from './workersFile.ts';

/** Workers that crash are started again so often, all of a run together. */
const MOST_RESTARTS = 10;
/** Exit code of a command that a user has to fix something for. */
const USER_ERROR = 2;

/**
 * The database of a run, and what the run starts for itself on this machine: its server, and workers. They end with this
 * process, however that ends.
 */
export class RunDatabase {
  readonly shared: SharedDatabase;
  readonly #url: string;
  readonly #own: OwnDatabase | undefined;
  readonly #options: CoordinatorOptions;
  readonly #workers = new Set<BoundProcess>();
  #restarts = 0;
  #isStopped = false;

  private constructor(
    shared: SharedDatabase,
    url: string,
    own: OwnDatabase | undefined,
    options: CoordinatorOptions,
  ) {
    this.shared = shared;
    this.#url = url;
    this.#own = own;
    this.#options = options;
  }

  /** Connects to the database that was named, or to a server that is started. Throws `UserError` where that fails. */
  static async open(options: CoordinatorOptions): Promise<RunDatabase> {
    const { workers, runFolder, session } = options;
    const own =
      workers.database === undefined
        ? await startOwnDatabase(runFolder, { workers: workers.processes, env: session.env })
        : undefined;
    const url = workers.database ?? own!.url;
    try {
      const shared = await SharedDatabase.open(url, session.log, own && { name: OWN_DATABASE });
      return new RunDatabase(shared, url, own, options);
    } catch (error) {
      await own?.stop({ remove: false });
      throw error;
    }
  }

  /** False once the last of the workers that the run started was told to leave. */
  get hasWorkers(): boolean {
    return this.#workers.size > 0;
  }

  /** @param onFault called with the reason why workers can't be had */
  async startWorkers(onFault: (error: UserError) => void): Promise<void> {
    for (let n = 0; n < this.#options.workers.processes; n++) await this.#startWorker(onFault);
  }

  async stopWorkers(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  /** @param remove the data of the run's own server is not needed any more */
  async close({ remove }: { readonly remove: boolean }): Promise<void> {
    await this.stopWorkers();
    await this.shared.close();
    await this.#own?.stop({ remove });
  }

  async #startWorker(onFault: (error: UserError) => void): Promise<void> {
    const { runFolder, session } = this.#options;
    const logFile = join(runFolder, 'workers.log');
    const argv = [process.execPath, join(packageFolder(), 'bin/coa-distill.js'), 'workers', 'join'];
    // Not among the arguments, which every user of the machine can see.
    const env = { ...session.env, COA_DISTILL_DATABASE: this.#url };
    const worker = await startBoundProcess(argv, { cwd: runFolder, env, logFile });
    this.#workers.add(worker);
    void worker.ended.then(async (code) => {
      this.#workers.delete(worker);
      // With code 0 it was told to leave.
      if (this.#isStopped || code === 0) return;
      if (code !== USER_ERROR && this.#restarts++ < MOST_RESTARTS) await this.#startWorker(onFault);
      else
        onFault(
          new UserError((await lastError(logFile)) ?? `workers ended with code ${code}: see ${logFile}`),
        );
    });
  }
}

/** The last line of a worker's log that tells of an error. */
async function lastError(logFile: string): Promise<string | undefined> {
  const lines = existsSync(logFile) ? (await readFile(logFile, 'utf8')).trimEnd().split('\n') : [];
  return lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length);
}
