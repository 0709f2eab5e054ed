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

/** Everything that is wrong with a configuration, collected before any of it is said. */
export class ConfigProblems {
  readonly document: ConfigDocument;
  readonly #ofCommandLine: string[] = [];
  readonly #ofKeys: ConfigProblem[] = [];
  readonly #suspected: (readonly PropertyKey[])[] = [];

  constructor(document: ConfigDocument) {
    this.document = document;
  }

  /** Of several problems with one key the first is kept: the others mostly follow from it. */
  add(keys: readonly PropertyKey[], message: string): void {
    const isSame = (other: ConfigProblem) => other.keys.length === keys.length && isWithin(other.keys, keys);
    if (!this.#ofKeys.some(isSame)) this.#ofKeys.push({ keys, message });
  }

  /** Adds what is wrong with something outside of the file: a flag, an environment variable. */
  addElsewhere(message: string): void {
    this.#ofCommandLine.push(message);
  }

  /** Notes a key of which nothing is to be said, since what is wrong with it is said of another. */
  suspect(keys: readonly PropertyKey[]): void {
    this.#suspected.push(keys);
  }

  /** Keys that are wrong, or missing since they were misspelt. */
  get wrongKeys(): readonly (readonly PropertyKey[])[] {
    return [...this.#ofKeys.map(({ keys }) => keys), ...this.#suspected];
  }

  /** True where the key at a path, one that it is part of, or one that is part of it, is wrong. */
  concerns(keys: readonly PropertyKey[]): boolean {
    return this.wrongKeys.some((wrong) => isWithin(wrong, keys) || isWithin(keys, wrong));
  }

  /**
   * Runs a check of a configuration. What it can't say, since it reads a key that is wrong itself, is left out.
   *
   * @param keys of which a `UserError` that the check throws is a problem; it goes on where absent
   */
  check(run: () => void, keys?: readonly PropertyKey[]): void {
    try {
      run();
    } catch (error) {
      if (error instanceof ReadsWrongKey) return;
      if (keys === undefined || !(error instanceof UserError)) throw error;
      this.add(keys, error.message);
    }
  }

  /** As {@link check}, of what takes time; undefined where it fails. */
  async attempt<T>(keys: readonly PropertyKey[], run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.add(keys, error.message);
      return undefined;
    }
  }

  /** @throws ProblemList of all that was found */
  throwIfAny(): void {
    if (this.#ofCommandLine.length + this.#ofKeys.length > 0) throw this.error();
  }

  /** All that was found, in the order of their lines. */
  error(): ProblemList {
    const lineOf = ({ keys }: ConfigProblem) => this.document.lineOf(keys) ?? 0;
    const sorted = this.#ofKeys.toSorted((one, other) => lineOf(one) - lineOf(other));
    const lines = sorted.map(({ keys, message }) => `${place(this.document, keys)}: ${message}`);
    const all = [...this.#ofCommandLine, ...lines];
    const more = all.length > MAX_PROBLEMS ? `and ${all.length - MAX_PROBLEMS} more` : undefined;
    return new ProblemList(all.slice(0, MAX_PROBLEMS), more);
  }
}

/** Thrown where a check reads a key of which something is wrong already. */
export class ReadsWrongKey extends Error {}

/** Whether a path begins with the keys of another. */
export function isWithin(outer: readonly PropertyKey[], keys: readonly PropertyKey[]): boolean {
  return outer.length <= keys.length && outer.every((key, at) => key === keys[at]);
}
