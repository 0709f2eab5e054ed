import { ProblemList, UserError } from '../../base/userError.ts';
import { type ConfigDocument, place } from './configDocument.ts';

/** What is wrong with a key of a configuration. */
export interface ConfigProblem {
  readonly keys: readonly PropertyKey[];
  /** What was expected, what came and what to do. */
  readonly message: string;
}

/** Further problems are counted: nobody reads more. */
const MAX_PROBLEMS = 100;

/** What a step of reading a configuration finds wrong, collected before any of it is said. */
export class ConfigProblems {
  readonly document: ConfigDocument;
  readonly #ofCommandLine: string[] = [];
  /** By the dotted key as it is written: of several problems with one key the first is kept. */
  readonly #ofKeys = new Map<string, ConfigProblem>();

  constructor(document: ConfigDocument, found: readonly ConfigProblem[] = []) {
    this.document = document;
    for (const { keys, message } of found) this.add(keys, message);
  }

  add(keys: readonly PropertyKey[], message: string): void {
    const { writtenAt = (path) => path } = this.document;
    const key = writtenAt(keys).map(String).join('.');
    if (!this.#ofKeys.has(key)) this.#ofKeys.set(key, { keys, message });
  }

  /** Adds what is wrong with something outside of the file: a flag, an environment variable. */
  addElsewhere(message: string): void {
    this.#ofCommandLine.push(message);
  }

  /** Runs something whose `UserError` is a problem of a key; undefined where it fails. */
  async attempt<T>(keys: readonly PropertyKey[], run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.add(keys, error.message);
      return undefined;
    }
  }

  /** @throws ProblemList of all that was found, in the order of their lines */
  throwIfAny(): void {
    const lineOf = ({ keys }: ConfigProblem) => this.document.lineOf(keys) ?? 0;
    const sorted = [...this.#ofKeys.values()].sort((one, other) => lineOf(one) - lineOf(other));
    const lines = sorted.map(({ keys, message }) => `${place(this.document, keys)}: ${message}`);
    const all = [...this.#ofCommandLine, ...lines];
    const more = all.length > MAX_PROBLEMS ? `and ${all.length - MAX_PROBLEMS} more` : undefined;
    if (all.length > 0) throw new ProblemList(all.slice(0, MAX_PROBLEMS), more);
  }
}
