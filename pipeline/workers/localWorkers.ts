import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../base/packageVersion.ts';
import { type BoundProcess, startBoundProcess } from '../../base/processes/boundProcess.ts';
import { UserError } from '../../base/userError.ts';

/** Workers that crash are started again so often, all of a run together. */
const MOST_RESTARTS = 10;
/** Exit code of a command that a user has to fix something for. */
const USER_ERROR = 2;

/** Which workers, and on what. */
export interface LocalWorkersOptions {
  readonly count: number;
  readonly url: string;
  readonly runFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told why workers can't be had. */
  readonly onFault: (error: UserError) => void;
}

/** Worker processes of this machine. They end with this process, however that ends. */
export class LocalWorkers {
  readonly #options: LocalWorkersOptions;
  readonly #logFile: string;
  readonly #running = new Set<BoundProcess>();
  #restarts = 0;
  #isStopped = false;

  private constructor(options: LocalWorkersOptions) {
    this.#options = options;
    this.#logFile = join(options.runFolder, 'workers.log');
  }

  static async start(options: LocalWorkersOptions): Promise<LocalWorkers> {
    const workers = new LocalWorkers(options);
    for (let n = 0; n < options.count; n++) await workers.#startOne();
    return workers;
  }

  /** False once the last of them was told to leave. */
  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Ends them all. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running].map((worker) => worker.stop()));
  }

  async #startOne(): Promise<void> {
    const { url, runFolder, env } = this.#options;
    const argv = [process.execPath, join(packageFolder(), 'bin/coa-distill.js'), 'workers', 'join'];
    // Not among the arguments, which every user of the machine can see.
    const told = { ...env, COA_DISTILL_DATABASE: url };
    const worker = await startBoundProcess(argv, { cwd: runFolder, env: told, logFile: this.#logFile });
    this.#running.add(worker);
    void worker.ended.then((code) => {
      this.#running.delete(worker);
      return this.#afterEnd(code);
    });
  }

  async #afterEnd(code: number | null): Promise<void> {
    // With code 0 it was told to leave.
    if (this.#isStopped || code === 0) return;
    if (code !== USER_ERROR && this.#restarts++ < MOST_RESTARTS) return this.#startOne();
    const lines = existsSync(this.#logFile)
      ? (await readFile(this.#logFile, 'utf8')).trimEnd().split('\n')
      : [];
    const why = lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length);
    this.#options.onFault(new UserError(why ?? `workers ended with code ${code}: see ${this.#logFile}`));
  }
}
