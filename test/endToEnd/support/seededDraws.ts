import { sha256Hex } from '../../../base/ids.ts';

/** How a rollout ends. `broken`: play ends without an answer; `down`: the endpoint never answers but with 500. */
export type Fate = 'right' | 'wrong' | 'broken' | 'down';

/** Share of the rollouts whose first request is answered 500; half of them are answered 500 each time. */
const ILL = 0.01;
/** Share of the rollouts that break off before an answer. */
const BROKEN = 0.01;
/**
 * What a seed draws for so many tasks of so many rollouts each. Each number depends on the seed and on what it is drawn
 * for alone, so that no two draws share one. A rollout is named `task rollout`, both from 0.
 */
export class SeededDraws {
  readonly rollouts: readonly string[];
  readonly #seed: number;
  readonly #rates: readonly number[];
  readonly #fates: ReadonlyMap<string, Fate>;

  constructor(seed: number, { tasks, each }: { readonly tasks: number; readonly each: number }) {
    this.#seed = seed;
    // Of the distribution Beta(1/2, 1): many hard tasks, and none that is hopeless.
    this.#rates = Array.from({ length: tasks }, (_, task) => this.#drawn('rate', task) ** 2);
    this.rollouts = this.#rates.flatMap((_, task) => {
      return Array.from({ length: each }, (_, rollout) => `${task} ${rollout}`);
    });
    this.#fates = new Map(this.rollouts.map((rollout) => [rollout, this.#end(rollout)]));
  }

  fate(rollout: string): Fate {
    return this.#fates.get(rollout)!;
  }

  /** Whether the first request of a rollout is answered 500. */
  isIll(rollout: string): boolean {
    return this.#drawn('fault', rollout) < ILL;
  }

  /** The rollouts that end so, sorted. */
  of(...fates: readonly Fate[]): string[] {
    return this.rollouts.filter((rollout) => fates.includes(this.fate(rollout))).sort();
  }

  count(...fates: readonly Fate[]): number {
    return this.of(...fates).length;
  }

  /** How a task's rollouts end, in a line of `tasks.pass_rates.jsonl`. */
  line(task: number) {
    const fates = this.rollouts.filter((name) => name.startsWith(`${task} `)).map((name) => this.fate(name));
    const count = (wanted: Fate) => fates.filter((fate) => fate === wanted).length;
    const [passed, without_answer, unscored] = [count('right'), count('broken'), count('down')];
    return { passed, samples: fates.length - unscored, unscored, without_answer };
  }

  #end(rollout: string): Fate {
    const fault = this.#drawn('fault', rollout);
    if (fault < ILL / 2) return 'down';
    if (fault >= ILL && fault < ILL + BROKEN) return 'broken';
    return this.#drawn('rollout', rollout) < this.#rates[Number.parseInt(rollout, 10)]! ? 'right' : 'wrong';
  }

  #drawn(kind: string, of: string | number): number {
    return Number.parseInt(sha256Hex(`${this.#seed} ${kind} ${of}`).slice(0, 12), 16) / 16 ** 12;
  }
}
