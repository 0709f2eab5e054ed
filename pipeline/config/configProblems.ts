import { ProblemList, UserError } from '../../base/userError.ts';
import { type ConfigDocument, place } from './configDocument.ts';

export interface ConfigProblem {
  readonly keys: readonly PropertyKey[];
  /** Expected value, actual value and remedy, in this order. */
  readonly message: string;
}

/** Maximum problems listed; the rest is only counted. */
const MAX_PROBLEMS = 100;

/** Collects the problems of a configuration before any is reported. */
export class ConfigProblems {
  readonly document: ConfigDocument;
  readonly #ofCommandLine: string[] = [];
  /** Problems by dotted key as written; the first problem of a key is kept. */
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

  /** Adds a problem outside of the file: a flag or an environment variable. */
  addElsewhere(message: string): void {
    this.#ofCommandLine.push(message);
  }

  /** Runs `run` and records a `UserError` as a problem of the key; returns undefined on failure. */
  async attempt<T>(keys: readonly PropertyKey[], run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.add(keys, error.message);
      return undefined;
    }
  }

  /** @throws ProblemList of all problems, ordered by line */
  throwIfAny(): void {
    const lineOf = ({ keys }: ConfigProblem) => this.document.lineOf(keys) ?? 0;
    const sorted = [...this.#ofKeys.values()].sort((one, other) => lineOf(one) - lineOf(other));
    const lines = sorted.map(({ keys, message }) => `${place(this.document, keys)}: ${message}`);
    const all = [...this.#ofCommandLine, ...lines];
    const more = all.length > MAX_PROBLEMS ? `and ${all.length - MAX_PROBLEMS} more` : undefined;
    if (all.length > 0) throw new ProblemList(all.slice(0, MAX_PROBLEMS), more);
  }
}
