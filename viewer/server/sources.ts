import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { evaluationNames, isEvaluation, readEvaluation } from '../../evaluation/evaluationFolder.ts';
import { findRun } from '../../pipeline/run/findRun.ts';
import { RUNS_DIR, runNames } from '../../pipeline/run/runNames.ts';
import type { FileSource } from './fileSource.ts';
import { RunSource } from './runSource.ts';

export interface SourceAnswer {
  readonly name: string;
  readonly kind: 'run' | 'files' | 'evaluation';
}

export type Source = RunSource | FileSource;

interface Named extends SourceAnswer {
  readonly folder: string;
}

/** Runs and files that may be shown, opened on first use. */
export class Sources {
  readonly #named: readonly Named[];
  /** Sources stay open, since their index is cheap to keep and slow to rebuild. */
  readonly #open = new Map<string, Source>();

  private constructor(named: readonly Named[]) {
    this.#named = named;
  }

  /**
   * Resolves command line arguments: runs by name or folder, otherwise files and folders of rows.
   *
   * @throws UserError for neither
   */
  static async find(given: readonly string[]): Promise<Sources> {
    const named: Named[] = [];
    for (const name of given) {
      const found = await namedSource(name);
      const taken = named.filter((other) => other.name.replace(/~\d+$/, '') === found.name).length;
      named.push(taken === 0 ? found : { ...found, name: `${found.name}~${taken}` });
    }
    return new Sources(named);
  }

  get opened(): readonly SourceAnswer[] {
    return this.#named.map(({ name, kind }) => ({ name, kind }));
  }

  /** Opens a source. Throws `UserError` if it is neither named nor under `runs/`, or is gone. */
  async open(name: string): Promise<Source> {
    const known = this.#open.get(name);
    if (known) return known;
    const { kind, folder } = await this.#find(name);
    if (kind === 'evaluation') throw new UserError(`${name} is an evaluation`);
    if (!existsSync(folder)) throw new UserError(`${folder} no longer exists`);
    // Loaded on demand, since file formats take 20 MB and most viewers only show runs.
    const Opened = kind === 'run' ? RunSource : (await import('./fileSource.ts')).FileSource;
    // Another request may have opened it in the meantime.
    const opened = this.#open.get(name) ?? new Opened(name, folder);
    this.#open.set(name, opened);
    return opened;
  }

  /** Opens a run. Throws `UserError` as {@link open}, and for other sources. */
  async openRun(name: string): Promise<RunSource> {
    const source = await this.open(name);
    if (source instanceof RunSource) return source;
    throw new UserError(`${name} is not a run`);
  }

  /** Folder of a run or evaluation. Throws as {@link open}. */
  async folderOf(name: string, wanted: 'run' | 'evaluation'): Promise<string> {
    const { kind, folder } = await this.#find(name);
    if (kind !== wanted)
      throw new UserError(`"${name}" is not ${wanted === 'run' ? 'a run' : 'an evaluation'}`);
    return folder;
  }

  async close(): Promise<void> {
    for (const source of this.#open.values()) await source.close();
  }

  async #find(name: string): Promise<Named> {
    const named = this.#named.find((source) => source.name === name);
    if (named) return named;
    if (runNames().includes(name)) return { name, kind: 'run', folder: resolve(RUNS_DIR, name) };
    if (evaluationNames().includes(name))
      return { name, kind: 'evaluation', folder: resolve(RUNS_DIR, name) };
    // Runs of benchmarks are named by evaluation and benchmark.
    const at = name.lastIndexOf('/');
    const evaluation = at > 0 ? await this.#find(name.slice(0, at)) : undefined;
    const { benchmarks } =
      evaluation?.kind === 'evaluation' ? await readEvaluation(evaluation.folder) : { benchmarks: [] };
    const played = benchmarks.find((benchmark) => benchmark.name === name.slice(at + 1));
    if (!played) throw new UserError(`no run "${name}"`);
    return { name, kind: 'run', folder: join(evaluation!.folder, played.run) };
  }
}

async function namedSource(given: string): Promise<Named> {
  const path = resolve(given);
  const evaluation = [resolve(RUNS_DIR, given), path].find(isEvaluation);
  if (evaluation) return { name: basename(evaluation), kind: 'evaluation', folder: evaluation };
  const run = await findRun(given).catch((error: Error) => error);
  if (!(run instanceof Error)) return { name: basename(run.folder), kind: 'run', folder: run.folder };
  if (!existsSync(path)) throw run;
  return { name: basename(path), kind: 'files', folder: path };
}

/** Evaluations under `runs/` with headline scores, or the error of a damaged one. */
export async function listedEvaluations() {
  return Promise.all(evaluationNames().map(listedEvaluation));
}

async function listedEvaluation(name: string) {
  try {
    const { player, benchmarks } = await readEvaluation(join(RUNS_DIR, name));
    return {
      name,
      error: null,
      model: player.model,
      benchmarks: benchmarks.map(({ name: benchmark, too_many_unscored, all }) => {
        const { score, bounds, scored_tasks, cost_usd } = all;
        return { benchmark, too_many_unscored, score, bounds, scored_tasks, cost_usd };
      }),
    };
  } catch (error) {
    return { name, error: (error as Error).message, model: '', benchmarks: [] };
  }
}
