import { UserError } from '../../base/userError.ts';
import { textNames } from './fields.ts';

/** What a person looks for, as expressions of SQLite's full-text search that are each asked alone. */
interface SearchTerms {
  /** All of them must be in a record; none where there is no word to look for. */
  readonly wanted: readonly string[];
  /** None of them may be in it. */
  readonly unwanted: readonly string[];
}

/** Each takes the time of a search by itself. */
const MAX_TERMS = 32;

const term = new RegExp(`(-?)(?:(${textNames.join('|')}):)?(?:"([^"]*)"?|(\\S+))`, 'g');

/**
 * What a person types as terms: all words must stand in a record, each as the beginning of a word; `"some words"` in this
 * order; `-word` in none; `model:word` in that part. Nothing else has a meaning. A term that is typed twice counts once.
 *
 * @throws UserError for too many terms
 */
export function searchTerms(text: string): SearchTerms {
  const wanted = new Set<string>();
  const unwanted = new Set<string>();
  for (const [, minus, part, phrase, word] of text.matchAll(term)) {
    const words = (phrase ?? word ?? '').replaceAll('\0', '');
    // A term without a letter or digit is no term for SQLite either.
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    const quoted = `${part ? `${part} : ` : ''}"${words.replaceAll('"', '""')}"${phrase === undefined ? '*' : ''}`;
    (minus === '-' ? unwanted : wanted).add(quoted);
    if (wanted.size + unwanted.size > MAX_TERMS)
      throw new UserError(`q: a search has at most ${MAX_TERMS} words and phrases; leave some out`);
  }
  return { wanted: [...wanted], unwanted: [...unwanted] };
}

/** Those rows of an ascending list that another one has too, or has not. */
export function rowsAlso(rows: Uint32Array, others: Uint32Array, isIn: boolean): Uint32Array {
  let at = 0;
  return rows.filter((row) => {
    while (others[at]! < row) at++;
    return (others[at] === row) === isIn;
  });
}

/** At most so many whole numbers between commas: taking a million texts apart would cost what they weigh. */
export function numbersIn(text: string, most: number): Uint32Array {
  const numbers = new Uint32Array(most);
  let count = 0;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0) number = number * 10 + digit;
    else {
      numbers[count++] = number;
      number = 0;
    }
  }
  numbers[count++] = number;
  return numbers.subarray(0, count);
}
