import type { z } from 'zod';
import { GrowingColumn } from '../../base/growingColumn.ts';
import type { RolloutPlan } from '../../schemas/config/rollouts.ts';
import type { StageInputs } from './stageInputs.ts';
import type { RecordInput, RecordInputs } from './stageRunner.ts';

/**
 * The rollouts of tasks as inputs of the stage that makes them: that of the task at place `p` and of number `r` has the
 * place `p * max + r`. Where a task is rolled out until enough are correct, the rollouts that are begun are the shortest
 * beginning that has so many, in whatever order they end: with `k` correct ones wanted, another is begun only while all
 * that are not found wrong are fewer than `k`, so it will be wanted whatever the others give. Holds three numbers a task.
 */
export class RolloutInputs implements RecordInputs {
  readonly #tasks: StageInputs;
  readonly #plan: RolloutPlan;
  /** By the task's place: rollouts that are begun or were, those whose end is known, and those not correct of them. */
  readonly #begun = new GrowingColumn(Uint32Array);
  readonly #ended = new GrowingColumn(Uint32Array);
  readonly #wrong = new GrowingColumn(Uint32Array);
  /** Tasks that are looked at by now; further rollouts of those come when they are needed. */
  #visited = 0;
  /** Rollouts of visited tasks whose end is not known. */
  #open = 0;
  /** Places of visited tasks that need further rollouts. */
  readonly #needy: number[] = [];
  #started = 0;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(tasks: StageInputs, plan: RolloutPlan, drain: AbortSignal) {
    this.#tasks = tasks;
    this.#plan = plan;
    if (drain.aborted) this.end();
    else drain.addEventListener('abort', () => this.end(), { once: true });
  }

  /** No further rollout begins. */
  end(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Rollouts that there are to be; while it depends on those under way, more than there can be. */
  get count(): number {
    const { max, correct } = this.#plan;
    if (correct === undefined) return this.#tasks.count * max;
    return this.#isSettled() ? this.#started : Number.POSITIVE_INFINITY;
  }

  /** Whether how many there are depends on how they end. */
  get dependsOnEnds(): boolean {
    return this.#plan.correct !== undefined;
  }

  /** A rollout that an earlier session finished. */
  wasBegun(index: number): void {
    const place = this.#placeOf(index);
    this.#begun.set(place, Math.max(this.#begun.at(place), (index % this.#plan.max) + 1));
  }

  /** A rollout's end is known: the judge found it correct, or something else became of it. Without effect where all are made. */
  ended(index: number, isCorrect: boolean): void {
    if (!this.dependsOnEnds) return;
    const place = this.#placeOf(index);
    this.#ended.set(place, this.#ended.at(place) + 1);
    if (!isCorrect) this.#wrong.set(place, this.#wrong.at(place) + 1);
    if (place >= this.#visited) return;
    this.#open--;
    if (this.#wanted(place) > this.#begun.at(place)) this.#needy.push(place);
    this.#wake?.();
  }

  /** As {@link RecordInputs.read}; once only. Ends early when the run is to stop. */
  async *read<T>(
    schema: z.ZodType<T>,
    skip: (index: number) => boolean = () => false,
  ): AsyncGenerator<RecordInput<T>> {
    const { max } = this.#plan;
    while (!this.#isStopped) {
      const next = this.#needy.shift() ?? (this.#visited < this.#tasks.count ? this.#visited : undefined);
      if (next === undefined) {
        if (this.#isSettled()) return;
        await this.#news();
        continue;
      }
      const first = next < this.#visited ? this.#begun.at(next) : 0;
      const end = this.#begin(next);
      const wanted = range(first, end).filter((rollout) => !skip(next * max + rollout));
      if (wanted.length === 0) continue;
      const record = await this.#tasks.recordAt(schema, next);
      for (const rollout of wanted) yield { index: next * max + rollout, record, rollout };
    }
  }

  /** Takes note that the rollouts of a task which are needed by now are begun; returns how many there are then. */
  #begin(place: number): number {
    const before = place < this.#visited ? this.#begun.at(place) : 0;
    const ended = place < this.#visited ? 0 : this.#ended.at(place);
    const wanted = this.#wanted(place);
    this.#begun.set(place, wanted);
    this.#visited = Math.max(this.#visited, place + 1);
    this.#started += wanted - before;
    if (this.dependsOnEnds) this.#open += wanted - before - ended;
    return wanted;
  }

  #wanted(place: number): number {
    const { min, max, correct } = this.#plan;
    const needed = correct === undefined ? max : Math.max(min, correct + this.#wrong.at(place));
    return Math.max(this.#begun.at(place), Math.min(max, needed));
  }

  #isSettled(): boolean {
    return this.#visited >= this.#tasks.count && this.#open === 0 && this.#needy.length === 0;
  }

  #placeOf(index: number): number {
    return Math.floor(index / this.#plan.max);
  }

  async #news(): Promise<void> {
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
