import { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { LocalWorkers, type LocalWorkersOptions } from './localWorkers.ts';
import { type OwnDatabase, startOwnDatabase } from './ownDatabase.ts';
import type { CoordinatorOptions } from './runEntry.ts';
import { OWN_DATABASE } from './workersFile.ts';

/** The database of a run, and what the run starts for itself on this machine: its server, and workers. */
export class RunDatabase {
  readonly shared: SharedDatabase;
  readonly #url: string;
  readonly #own: OwnDatabase | undefined;
  readonly #options: CoordinatorOptions;
  #locals: LocalWorkers | undefined;

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
    const { wish, runFolder, session } = options;
    const own =
      wish.database === undefined
        ? await startOwnDatabase(runFolder, { workers: wish.processes, env: session.env })
        : undefined;
    const url = wish.database ?? own!.url;
    try {
      const shared = await SharedDatabase.open(url, session.log, own && { name: OWN_DATABASE });
      return new RunDatabase(shared, url, own, options);
    } catch (error) {
      await own?.stop({ remove: false });
      throw error;
    }
  }

  /** True while processes run that the run started to work. */
  get hasWorkers(): boolean {
    return this.#locals?.areRunning === true;
  }

  async startWorkers(onFault: LocalWorkersOptions['onFault']): Promise<void> {
    const { wish, runFolder, session } = this.#options;
    if (wish.processes === 0) return;
    const { env } = session;
    this.#locals = await LocalWorkers.start({
      count: wish.processes,
      url: this.#url,
      runFolder,
      env,
      onFault,
    });
  }

  async stopWorkers(): Promise<void> {
    await this.#locals?.stop();
  }

  /** @param remove the data of the run's own server is not needed any more */
  async close({ remove }: { readonly remove: boolean }): Promise<void> {
    await this.stopWorkers();
    await this.shared.close();
    await this.#own?.stop({ remove });
  }
}
