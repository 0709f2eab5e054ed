import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { evaluationNames, isEvaluation, readEvaluation } from '../../operations/evaluate/evaluationFolder.ts';
import { findRun } from '../../operations/findRun.ts';
import { RUNS_DIR, runNames } from '../../operations/runNames.ts';
import type { SourceAnswer } from '../api.ts';
import { FileSource } from './fileSource.ts';
import { RunSource } from './runSource.ts';
import type { Source } from './source.ts';

/** What stays open at once, besides what pages follow: each takes some memory. */
const MAX_OPEN = 4;

interface Named extends SourceAnswer {
  readonly folder: string;
}

/** The runs and files that are shown, opened when they are first asked for. Nothing else can be. */
export class Sources {
  readonly #named: readonly Named[];
  /** The one that was asked for last comes last. */
  readonly #open = new Map<string, Source>();
  /** How many pages follow a source. */
  readonly #followed = new Map<Source, number>();

  private constructor(named: readonly Named[]) {
    this.#named = named;
  }

  /**
   * Finds what the command line names: runs, by name or folder, or else files and folders of rows.
   *
   * @throws UserError where it is neither
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

  /** What the command line named. */
  get opened(): readonly SourceAnswer[] {
    return this.#named.map(({ name, kind }) => ({ name, kind }));
  }

  /** A source by its name. Throws `UserError` for one that is neither named nor under `runs/`, or is gone. */
  async open(name: string): Promise<Source> {
    const known = this.#known(name);
    if (known) return known;
    const { kind, folder } = await this.#find(name);
    if (kind === 'evaluation') throw new UserError(`${name} is an evaluation`);
    // Another request may have opened it meanwhile.
    const meanwhile = this.#known(name);
    if (meanwhile) return meanwhile;
    if (!existsSync(folder)) throw new UserError(`${folder} is there no more`);
    const opened = kind === 'run' ? new RunSource(name, folder) : new FileSource(name, folder);
    this.#open.set(name, opened);
    await this.#closeOldest();
    return opened;
  }

  /** A run by its name. Throws `UserError` as {@link open} does, and for rows of no run. */
  async openRun(name: string): Promise<RunSource> {
    const source = await this.open(name);
    if (source instanceof RunSource) return source;
    throw new UserError(`${name} is not a run`);
  }

  /** Keeps a source open while a page follows it; returns what ends that. */
  follow(source: Source): () => void {
    this.#followed.set(source, (this.#followed.get(source) ?? 0) + 1);
    return () => {
      const left = this.#followed.get(source)! - 1;
      if (left > 0) this.#followed.set(source, left);
      else this.#followed.delete(source);
    };
  }

  #known(name: string): Source | undefined {
    const known = this.#open.get(name);
    if (!known) return undefined;
    this.#open.delete(name);
    this.#open.set(name, known);
    return known;
  }

  async #closeOldest(): Promise<void> {
    const idle = [...this.#open].filter(([, source]) => !this.#followed.has(source));
    // The last one has just been opened.
    for (const [name, source] of idle.slice(0, -1).slice(0, Math.max(0, this.#open.size - MAX_OPEN))) {
      this.#open.delete(name);
      await source.close();
    }
  }

  /** The folder of a run or an evaluation. Throws `UserError` as {@link open} does. */
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
    // A benchmark's run goes by its evaluation's name and its own.
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
