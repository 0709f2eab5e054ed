import { normalForm } from '../../schemas/normalForm.ts';
import type { DatasetRow } from '../../schemas/rows/datasetRow.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Fault, fault } from './rules.ts';
import type { TokenText } from './tokenText.ts';

/**
 * Normalises differences that rendering may introduce: backslashes before look-alikes, normal form, lone surrogates.
 */
export function bareText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC').replaceAll('\\', '');
}

/** Whole text of a row for matching it with a trajectory; undefined for ids of another tokenizer. */
export async function comparableText(
  { tokens, maskedBy, user, text, pieces }: DatasetRow,
  tokenText: TokenText,
): Promise<string | undefined> {
  if (maskedBy === 'fork') return bareText(`${user ?? ''}\n${text ?? ''}`);
  const whole = tokens ? await tokenText.textOf(tokens.ids) : pieces.map((piece) => piece.text).join('');
  return whole === undefined ? undefined : bareText(whole);
}

/** Similarity of a row's text to a trajectory. `cut`: the row ends before it. */
type Likeness = 'same' | 'cut' | 'alike' | 'other';

/** Maximum characters of markup between the user's text and the answer, and after it. */
const MARKUP = 200;
/** Length of an answer's prefix that identifies it. */
const BEGINNING = 80;

/**
 * Compares a row with a trajectory, ignoring chat markup and the system turn; a row of unknown text counts as the same.
 */
function likeness(text: string | undefined, trajectory: Trajectory): Likeness {
  if (text === undefined) return 'same';
  const user = bareText(trajectory.user).trim();
  const answer = bareText(trajectory.segments.map((segment) => segment.text).join(''));
  const found = textFromAnswer(text, user, answer.slice(0, BEGINNING));
  if (found === undefined) return 'other';
  if (found.startsWith(answer) && found.length - answer.length <= MARKUP) return 'same';
  return answer.startsWith(found) ? 'cut' : 'alike';
}

/** Text from the answer on, located after the user's text, which the system turn may contain too. */
function textFromAnswer(text: string, user: string, answer: string): string | undefined {
  for (let at = text.indexOf(user); at >= 0; at = text.indexOf(user, at + 1)) {
    const rest = text.slice(at + user.length);
    const start = rest.slice(0, MARKUP + BEGINNING).indexOf(answer);
    if (start >= 0) return rest.slice(start);
    if (user === '') return undefined;
  }
  return undefined;
}

export interface AlignedRow<Row> {
  readonly row: Row | undefined;
  readonly trajectory: Trajectory | undefined;
  /** Index of the trajectory; -1 for a row without one. */
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
 * Aligns rows with trajectories using a small look-ahead. Reports missing, duplicate and swapped rows and continues
 * after them.
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

class LookAhead<T> {
  readonly #items: AsyncIterator<T>;
  readonly #seen: T[] = [];

  constructor(items: AsyncIterable<T>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  /** Item at an offset; undefined past the end. */
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
