import type { z } from 'zod';
import { Bitset } from '../../base/bitset.ts';
import { GrowingColumn } from '../../base/growingColumn.ts';
import { dependsOnJudge, mostRollouts, type RolloutPlan } from '../../schemas/config/rollouts.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { StageInputs } from './stageInputs.ts';
import type { RecordInput, RecordInputs } from './stageRunner.ts';

/** How a rollout ended: by the judge, or before it. Of an unscored one nobody knows whether it is right. */
export type RolloutOutcome = 'correct' | 'wrong' | 'unscored' | 'failed';

/**
 * The rollouts of tasks as inputs of the stage that makes them: that of the task at place `p` and of number `r` has the
 * place `p * most + r`. Where a task is rolled out until enough are correct, the rollouts that are begun are the shortest
 * beginning that has so many, in whatever order they end: with `k` correct ones wanted, another is begun only while all
 * that did not fail and are not found wrong are fewer than `k`, so it will be wanted whatever the others give. An
 * unscored one may be correct: a judge that decides nothing pays for no further ones. Where wrong ones have a second try,
 * that of rollout `r` has the number `max + r` and follows on the judge's verdict. Holds three numbers a task.
 */
export class RolloutInputs implements RecordInputs {
  readonly #tasks: StageInputs;
  readonly #plan: RolloutPlan;
  readonly #most: number;
  /** The records that the stage itself made: those that were judged wrong are read again for their second try. */
  #made: { readonly records: StageInputs; readonly schema: z.ZodType<Trace> } | undefined;
  /** By the task's place: rollouts that are begun or were, those whose end is known, and those not correct of them. */
  readonly #begun = new GrowingColumn(Uint32Array);
  readonly #ended = new GrowingColumn(Uint32Array);
  readonly #wrong = new GrowingColumn(Uint32Array);
  readonly #places: Generator<number>;
  /** Place of the next task to look at, undefined after the last; further rollouts of those before it come when they are needed. */
  #next: number | undefined;
  /** Rollouts of visited tasks whose end is not known, second tries included. */
  #open = 0;
  /** Places of visited tasks that need further rollouts. */
  readonly #needy: number[] = [];
  /** Places of second tries that are to begin, and of those that earlier sessions finished. */
  readonly #secondTries: number[] = [];
  readonly #finishedSecond = new Bitset();
  #started = 0;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(tasks: StageInputs, plan: RolloutPlan, drain: AbortSignal) {
    this.#tasks = tasks;
    this.#plan = plan;
    this.#most = mostRollouts(plan);
    this.#places = tasks.places();
    this.#lookOn();
    if (drain.aborted) this.end();
    else drain.addEventListener('abort', () => this.end(), { once: true });
  }

  /** Says where the records are that the stage makes, for second tries. */
  readWrongTriesFrom(records: StageInputs, schema: z.ZodType<Trace>): void {
    this.#made = { records, schema };
  }

  /** No further rollout begins. */
  end(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Rollouts that there are to be; while it depends on those under way, more than there can be. */
  get count(): number {
    if (!this.dependsOnOutcomes) return this.#tasks.count * this.#most;
    return this.#isSettled() ? this.#started : Number.POSITIVE_INFINITY;
  }

  get dependsOnOutcomes(): boolean {
    return dependsOnJudge(this.#plan);
  }

  /** A rollout that an earlier session finished. */
  wasBegun(index: number): void {
    if (this.#isSecond(index)) {
      this.#finishedSecond.add(index);
      this.#started++;
      this.#open++;
      return;
    }
    const place = this.#placeOf(index);
    this.#begun.set(place, Math.max(this.#begun.at(place), (index % this.#most) + 1));
  }

  /** A rollout's end is known. Without effect where all are made. */
  ended(index: number, end: RolloutOutcome): void {
    if (!this.dependsOnOutcomes) return;
    if (this.#isSecond(index)) this.#open--;
    else this.#firstTryEnded(index, end);
    this.#wake?.();
  }

  #firstTryEnded(index: number, end: RolloutOutcome): void {
    if (end === 'wrong' && this.#plan.secondTries) this.#beginSecond(index + this.#plan.max);
    const place = this.#placeOf(index);
    this.#ended.set(place, this.#ended.at(place) + 1);
    if (end === 'wrong' || end === 'failed') this.#wrong.set(place, this.#wrong.at(place) + 1);
    if (!this.#isVisited(place)) return;
    this.#open--;
    if (this.#wanted(place) > this.#begun.at(place)) this.#needy.push(place);
  }

  #beginSecond(index: number): void {
    if (this.#finishedSecond.has(index)) return;
    this.#started++;
    this.#open++;
    this.#secondTries.push(index);
  }

  /** As {@link RecordInputs.read}; once only. Ends early when the run is to stop. */
  async *read<T>(
    schema: z.ZodType<T>,
    skip: (index: number) => boolean = () => false,
  ): AsyncGenerator<RecordInput<T>> {
    while (!this.#isStopped) {
      const second = this.#secondTries.pop();
      if (second !== undefined) {
        yield await this.#secondTry(schema, second);
        continue;
      }
      const next = this.#needy.shift() ?? this.#next;
      if (next !== undefined) yield* this.#firstTries(schema, next, skip);
      else if (this.#isSettled()) return;
      else await this.#news();
    }
  }

  /** The rollouts of a task that are needed by now. */
  async *#firstTries<T>(
    schema: z.ZodType<T>,
    place: number,
    skip: (index: number) => boolean,
  ): AsyncGenerator<RecordInput<T>> {
    const first = this.#isVisited(place) ? this.#begun.at(place) : 0;
    const start = place * this.#most;
    const wanted = range(first, this.#begin(place)).filter((rollout) => !skip(start + rollout));
    if (wanted.length === 0) return;
    const record = await this.#tasks.recordAt(schema, place);
    for (const rollout of wanted) yield { index: start + rollout, record, rollout };
  }

  async #secondTry<T>(schema: z.ZodType<T>, index: number): Promise<RecordInput<T>> {
    const { records, schema: made } = this.#made!;
    const wrongTry = await records.recordOfInput(made, index - this.#plan.max);
    const record = await this.#tasks.recordAt(schema, this.#placeOf(index));
    return { index, record, rollout: index % this.#most, wrongTry };
  }

  /** Takes note that the rollouts of a task which are needed by now are begun; returns how many there are then. */
  #begin(place: number): number {
    const isVisited = this.#isVisited(place);
    const before = isVisited ? this.#begun.at(place) : 0;
    const ended = isVisited ? 0 : this.#ended.at(place);
    const wanted = this.#wanted(place);
    this.#begun.set(place, wanted);
    if (!isVisited) this.#lookOn();
    this.#started += wanted - before;
    if (this.dependsOnOutcomes) this.#open += wanted - before - ended;
    return wanted;
  }

  #wanted(place: number): number {
    const { min, max, correct } = this.#plan;
    const needed = correct === undefined ? max : Math.max(min, correct + this.#wrong.at(place));
    return Math.max(this.#begun.at(place), Math.min(max, needed));
  }

  #isSettled(): boolean {
    const isWaiting = this.#needy.length > 0 || this.#secondTries.length > 0;
    return this.#next === undefined && this.#open === 0 && !isWaiting;
  }

  #isVisited(place: number): boolean {
    return this.#next === undefined || place < this.#next;
  }

  #lookOn(): void {
    this.#next = this.#places.next().value;
  }

  #isSecond(index: number): boolean {
    return index % this.#most >= this.#plan.max;
  }

  #placeOf(index: number): number {
    return Math.floor(index / this.#most);
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
