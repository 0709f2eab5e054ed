import { normalForm } from '../../schemas/normalForm.ts';
import type { DatasetRow } from '../../schemas/rows/datasetRow.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Fault, fault } from './rules.ts';
import type { TokenText } from './tokenText.ts';

/** A text without what rendering may change: backslashes before look-alikes, normal form, lone surrogates. */
export function bareText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC').replaceAll('\\', '');
}

/** The whole text of a row, for finding its trajectory; undefined for ids of another tokenizer. */
export async function comparableText(
  { tokens, maskedBy, user, text, pieces }: DatasetRow,
  tokenText: TokenText,
): Promise<string | undefined> {
  if (maskedBy === 'fork') return bareText(`${user ?? ''}\n${text ?? ''}`);
  const whole = tokens ? await tokenText.textOf(tokens.ids) : pieces.map((piece) => piece.text).join('');
  return whole === undefined ? undefined : bareText(whole);
}

/** How far a row's text is that of a trajectory. `cut`: it ends before the trajectory does, at any place. */
type Likeness = 'same' | 'cut' | 'alike' | 'other';

/** Characters of markup that may stand between the user's words and the answer, and after it. */
const MARKUP = 200;
/** Characters of an answer's beginning that tell it from others. */
const BEGINNING = 80;

/** Compares a row with a trajectory, without the chat markup and the system turn; a row of unknown text is the same. */
function likeness(text: string | undefined, trajectory: Trajectory): Likeness {
  if (text === undefined) return 'same';
  const user = bareText(trajectory.user).trim();
  const answer = bareText(trajectory.segments.map((segment) => segment.text).join(''));
  const found = textFromAnswer(text, user, answer.slice(0, BEGINNING));
  if (found === undefined) return 'other';
  if (found.startsWith(answer) && found.length - answer.length <= MARKUP) return 'same';
  return answer.startsWith(found) ? 'cut' : 'alike';
}

/** The text from the answer on, which follows the user's words; the system turn may hold these words too. */
function textFromAnswer(text: string, user: string, answer: string): string | undefined {
  for (let at = text.indexOf(user); at >= 0; at = text.indexOf(user, at + 1)) {
    const rest = text.slice(at + user.length);
    const start = rest.slice(0, MARKUP + BEGINNING).indexOf(answer);
    if (start >= 0) return rest.slice(start);
    if (user === '') return undefined;
  }
  return undefined;
}

/** A row beside the trajectory that it should be. */
export interface AlignedRow<Row> {
  /** Undefined where a row is missing. */
  readonly row: Row | undefined;
  /** Undefined for a row that is none of the trajectories. */
  readonly trajectory: Trajectory | undefined;
  /** Place of the trajectory, from 0; -1 for a row that stands for none. */
  readonly place: number;
  readonly fault: Fault | undefined;
}

const differences = {
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
export async function* alignRows<Row extends { readonly text: string | undefined }>(
  given: AsyncIterable<Row>,
  expected: AsyncIterable<Trajectory>,
  mayBeCut: boolean,
): AsyncGenerator<AlignedRow<Row>> {
  const [rows, trajectories] = [new LookAhead(given), new LookAhead(expected)];
  const isSame = (row: Row | undefined, of: Trajectory | undefined): boolean => {
    const like = row && of && likeness(row.text, of);
    return like === 'same' || (mayBeCut && like === 'cut');
  };
  let place = 0;
  let before: Trajectory | undefined;
  const pair = (row: Row, of: Trajectory, found?: Fault): AlignedRow<Row> => {
    rows.drop();
    trajectories.drop();
    before = of;
    return {
      row,
      trajectory: likeness(row.text, of) === 'other' ? undefined : of,
      place: place++,
      fault: found,
    };
  };
  const missing = (): AlignedRow<Row> => {
    trajectories.drop();
    const found = fault('missing_row', `the row of place ${place + 1} is missing`);
    return { row: undefined, trajectory: undefined, place: place++, fault: found };
  };
  const surplus = (row: Row): AlignedRow<Row> => {
    rows.drop();
    if (isSame(row, before))
      return {
        row,
        trajectory: before,
        place: -1,
        fault: fault('duplicate_row', 'the row before stands here again'),
      };
    return {
      row,
      trajectory: undefined,
      place: -1,
      fault: fault('row_differs', 'no trajectory is left for this row'),
    };
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
          yield pair(
            row,
            ofAhead!,
            fault('swapped_rows', "this row and the next stand in each other's place"),
          );
          yield pair(rowAhead!, of);
        } else if (isEarly) yield missing();
        else if (isLate) yield surplus(row);
        else {
          const message = `expected the trajectory ${of.id}: ${differences[likeness(row.text, of)]}`;
          yield pair(row, of, fault('row_differs', message));
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

  /** The item so many places ahead; undefined past the end. */
  async peek(ahead: number): Promise<T | undefined> {
    while (this.#seen.length <= ahead) {
      const next = await this.#items.next();
      if (next.done) return undefined;
      this.#seen.push(next.value);
    }
    return this.#seen[ahead];
  }

  drop(): void {
    this.#seen.shift();
  }

  async close(): Promise<void> {
    await this.#items.return?.();
  }
}
