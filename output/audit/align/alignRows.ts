import type { AuditFindingKind } from '../../../schemas/audit.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { likeness } from './comparableText.ts';

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
  /** Place of the trajectory, from 0; -1 for a row that stands for none. */
  readonly place: number;
  readonly problem: { readonly kind: AuditFindingKind; readonly message: string } | undefined;
}

const messages = {
  swapped: "this row and the next stand in each other's place",
  cut: 'it ends before the trajectory does',
  alike: 'it begins as the trajectory does, and goes on otherwise',
  other: 'its text is that of another row',
  same: '',
} as const;

/**
 * Walks through rows and trajectories side by side, a few of each in memory. A row that is missing, doubled or
 * exchanged with its neighbour is found as such, and the walk goes on behind it.
 *
 * @param mayBeCut whether a row may end before its trajectory does
 */
export async function* alignRows<Row extends Alignable>(
  given: AsyncIterable<Row>,
  expected: AsyncIterable<Trajectory>,
  mayBeCut: boolean,
): AsyncGenerator<AlignedRow<Row>> {
  const [rows, trajectories] = [new LookAhead(given), new LookAhead(expected)];
  const likenessOf = (row: Row, of: Trajectory) => (row.text === undefined ? 'same' : likeness(row.text, of));
  const isSame = (row: Row | undefined, of: Trajectory | undefined): boolean => {
    const like = row && of && likenessOf(row, of);
    return like === 'same' || (mayBeCut && like === 'cut');
  };
  let place = 0;
  let before: Trajectory | undefined;
  const pair = (row: Row, of: Trajectory, problem?: AlignedRow<Row>['problem']): AlignedRow<Row> => {
    rows.drop();
    trajectories.drop();
    before = of;
    return { row, trajectory: likenessOf(row, of) === 'other' ? undefined : of, place: place++, problem };
  };
  const missing = (): AlignedRow<Row> => {
    trajectories.drop();
    const message = `the row of place ${place + 1} is missing`;
    const problem = { kind: 'missing_row', message } as const;
    return { row: undefined, trajectory: undefined, place: place++, problem };
  };
  const surplus = (row: Row): AlignedRow<Row> => {
    rows.drop();
    const isTwice = isSame(row, before);
    const problem = isTwice
      ? ({ kind: 'duplicate_row', message: 'the row before stands here again' } as const)
      : ({ kind: 'row_differs', message: 'no trajectory is left for this row' } as const);
    return { row, trajectory: isTwice ? before : undefined, place: -1, problem };
  };
  try {
    for (;;) {
      const [row, of] = [await rows.peek(0), await trajectories.peek(0)];
      if (!row && !of) return;
      if (!row) yield missing();
      else if (!of) yield surplus(row);
      else if (isSame(row, of)) yield pair(row, of);
      else {
        const [rowAhead, ofAhead] = [await rows.peek(1), await trajectories.peek(1)];
        const [isLate, isEarly] = [isSame(rowAhead, of), isSame(row, ofAhead)];
        if (isLate && isEarly) {
          yield pair(row, ofAhead!, { kind: 'swapped_rows', message: messages.swapped });
          yield pair(rowAhead!, of);
        } else if (isEarly) yield missing();
        else if (isLate) yield surplus(row);
        else {
          const message = `expected the trajectory ${of.id}: ${messages[likenessOf(row, of)]}`;
          yield pair(row, of, { kind: 'row_differs', message });
        }
      }
    }
  } finally {
    await Promise.all([rows.close(), trajectories.close()]);
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
