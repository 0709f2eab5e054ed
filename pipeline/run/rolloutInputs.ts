import type { z } from 'zod';
import { Bitset } from '../../base/bitset.ts';
import { GrowingColumn } from '../../base/growingColumn.ts';
import { dependsOnJudge, mostRollouts, type RolloutPlan } from '../../schemas/config/rollouts.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { StageInputs } from './stageInputs.ts';
import type { RecordInput, RecordInputs } from './stageRunner.ts';

/** End of a rollout, by the judge or before it. The correctness of an unscored one is unknown. */
export type RolloutOutcome = 'correct' | 'wrong' | 'unscored' | 'failed';

/**
 * Rollouts of tasks as inputs of the rollout stage; rollout `r` of the task at place `p` has index `p * most + r`. With
 * adaptive rollouts, the rollouts that begin are the shortest prefix with `k` correct ones, regardless of the order in
 * which they end: another one begins only while fewer than `k` are neither failed nor wrong, so it is needed whatever
 * the others result in. An unscored one may be correct, so an undecided judge causes no further rollouts. The second
 * try after a wrong rollout `r` has number `max + r` and begins after the verdict. Memory: three numbers per task.
 */
export class RolloutInputs implements RecordInputs {
  readonly #tasks: StageInputs;
  readonly #plan: RolloutPlan;
  readonly #most: number;
  /** Records that the stage made; wrong ones are read again for their second try. */
  #made: { readonly records: StageInputs; readonly schema: z.ZodType<Trace> } | undefined;
  /** Begun rollouts, those with a known end, and those of them that are not correct, by the task's place. */
  readonly #begun = new GrowingColumn(Uint32Array);
  readonly #ended = new GrowingColumn(Uint32Array);
  readonly #wrong = new GrowingColumn(Uint32Array);
  readonly #places: Generator<number>;
  /** Place of the next task, undefined after the last; earlier tasks get further rollouts as needed. */
  #next: number | undefined;
  /** Rollouts of visited tasks that have not ended, including second tries. */
  #open = 0;
  /** Places of visited tasks that need more rollouts. */
  readonly #needy: number[] = [];
  /** Places of pending second tries, and of those finished in earlier sessions. */
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

  /** Sets the source of wrong records for second tries. */
  readWrongTriesFrom(records: StageInputs, schema: z.ZodType<Trace>): void {
    this.#made = { records, schema };
  }

  end(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Number of rollouts; an upper bound while it depends on running ones. */
  get count(): number {
    if (!this.dependsOnOutcomes) return this.#tasks.count * this.#most;
    return this.#isSettled() ? this.#started : Number.POSITIVE_INFINITY;
  }

  get dependsOnOutcomes(): boolean {
    return dependsOnJudge(this.#plan);
  }

  /** Adds a rollout finished in an earlier session. */
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

  /** Notes the end of a rollout. No effect if all rollouts are made anyway. */
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

  /** As {@link RecordInputs.read}; may be called once. Ends early when the run stops. */
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

  /** Rollouts of a task that are needed so far. */
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

  /** Marks the currently needed rollouts of a task as begun; returns their total number. */
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
