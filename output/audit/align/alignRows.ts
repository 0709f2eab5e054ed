import type { AuditFindingKind } from '../../../schemas/audit.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { type Likeness, likeness } from './comparableText.ts';

/** What a row must have to be aligned. */
interface Alignable {
  /** See `comparableText`; undefined for a row whose text is not known, which then is taken for the one expected. */
  readonly text: string | undefined;
}

/** A row beside the trajectory that it should be. */
export interface AlignedRow<Row> {
  /** Undefined where a row is missing. */
  readonly row: Row | undefined;
  /** Undefined for a row that no trajectory is found for. */
  readonly trajectory: Trajectory | undefined;
  /** Place of the trajectory, from 0. */
  readonly place: number;
  readonly problem: { readonly kind: AuditFindingKind; readonly message: string } | undefined;
}

/**
 * Walks through rows and trajectories side by side, a few of each in memory. A row that is missing, doubled or
 * exchanged with its neighbour is found as such, and the walk goes on behind it.
 *
 * @param mayBeCut whether a row may end before its trajectory does
 */
export async function* alignRows<Row extends Alignable>(
  rows: AsyncIterable<Row>,
  trajectories: AsyncIterable<Trajectory>,
  mayBeCut: boolean,
): AsyncGenerator<AlignedRow<Row>> {
  const aligner = new Aligner(rows, trajectories, mayBeCut);
  try {
    yield* aligner.walk();
  } finally {
    await aligner.close();
  }
}

class Aligner<Row extends Alignable> {
  readonly #rows: LookAhead<Row>;
  readonly #trajectories: LookAhead<Trajectory>;
  readonly #mayBeCut: boolean;
  #place = 0;
  #before: Trajectory | undefined;

  constructor(rows: AsyncIterable<Row>, trajectories: AsyncIterable<Trajectory>, mayBeCut: boolean) {
    this.#rows = new LookAhead(rows);
    this.#trajectories = new LookAhead(trajectories);
    this.#mayBeCut = mayBeCut;
  }

  async *walk(): AsyncGenerator<AlignedRow<Row>> {
    for (;;) {
      const row = await this.#rows.peek(0);
      const trajectory = await this.#trajectories.peek(0);
      if (!row && !trajectory) return;
      if (!row) yield this.#missing();
      else if (!trajectory) yield this.#surplus(row);
      else if (this.#isSame(row, trajectory)) yield this.#pair(row, trajectory, undefined);
      else yield* this.#resolve(row, trajectory);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#rows.close(), this.#trajectories.close()]);
  }

  /** Looks one place ahead for what became of a row that is not the one expected. */
  async *#resolve(row: Row, trajectory: Trajectory): AsyncGenerator<AlignedRow<Row>> {
    const rowAhead = await this.#rows.peek(1);
    const trajectoryAhead = await this.#trajectories.peek(1);
    const isLate = rowAhead !== undefined && this.#isSame(rowAhead, trajectory);
    const isEarly = trajectoryAhead !== undefined && this.#isSame(row, trajectoryAhead);
    if (isLate && isEarly) {
      const message = "this row and the next stand in each other's place";
      yield this.#pair(row, trajectoryAhead, { kind: 'swapped_rows', message });
      yield this.#pair(rowAhead, trajectory, undefined);
    } else if (isEarly) yield this.#missing();
    else if (isLate) yield this.#surplus(row);
    else yield this.#pair(row, trajectory, this.#difference(row, trajectory));
  }

  #difference(row: Row, trajectory: Trajectory): AlignedRow<Row>['problem'] {
    const like = this.#likeness(row, trajectory);
    const what =
      like === 'cut'
        ? 'it ends before the trajectory does'
        : like === 'alike'
          ? 'it begins as the trajectory does, and goes on otherwise'
          : 'its text is that of another row';
    return { kind: 'row_differs', message: `expected the trajectory ${trajectory.id}: ${what}` };
  }

  #pair(row: Row, trajectory: Trajectory, problem: AlignedRow<Row>['problem']): AlignedRow<Row> {
    this.#rows.drop();
    const isOther = this.#likeness(row, trajectory) === 'other';
    return { row, trajectory: isOther ? undefined : trajectory, place: this.#next(trajectory), problem };
  }

  #missing(): AlignedRow<Row> {
    const place = this.#next(this.#before);
    const problem = { kind: 'missing_row', message: `the row of place ${place + 1} is missing` } as const;
    return { row: undefined, trajectory: undefined, place, problem };
  }

  #surplus(row: Row): AlignedRow<Row> {
    this.#rows.drop();
    const isTwice = this.#before !== undefined && this.#isSame(row, this.#before);
    const problem = isTwice
      ? ({ kind: 'duplicate_row', message: 'the row before stands here again' } as const)
      : ({ kind: 'row_differs', message: 'no trajectory is left for this row' } as const);
    return { row, trajectory: isTwice ? this.#before : undefined, place: -1, problem };
  }

  /** Goes on to the next trajectory; returns the place of this one. */
  #next(before: Trajectory | undefined): number {
    this.#trajectories.drop();
    this.#before = before;
    return this.#place++;
  }

  #isSame(row: Row, trajectory: Trajectory): boolean {
    const like = this.#likeness(row, trajectory);
    return like === 'same' || (this.#mayBeCut && like === 'cut');
  }

  #likeness(row: Row, trajectory: Trajectory): Likeness {
    return row.text === undefined ? 'same' : likeness(row.text, trajectory);
  }
}

/** A sequence of which the next few items can be seen before they are taken. */
class LookAhead<T> {
  readonly #items: AsyncIterator<T>;
  readonly #seen: T[] = [];

  constructor(items: AsyncIterable<T>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  /** The item that many places ahead, 0 being the next one; undefined past the end. */
  async peek(ahead: number): Promise<T | undefined> {
    while (this.#seen.length <= ahead) {
      const next = await this.#items.next();
      if (next.done) return undefined;
      this.#seen.push(next.value);
    }
    return this.#seen[ahead];
  }

  /** Takes the next item. */
  drop(): void {
    this.#seen.shift();
  }

  /** Lets go of what the sequence holds open. */
  async close(): Promise<void> {
    await this.#items.return?.();
  }
}
