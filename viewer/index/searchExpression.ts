import { textNames } from './fields.ts';

const term = new RegExp(`(-?)(?:(${textNames.join('|')}):)?(?:"([^"]*)"?|(\\S+))`, 'g');

/**
 * What a person types as an expression of SQLite's full-text search: all words must stand in a record, each as the
 * beginning of a word; `"some words"` in this order; `-word` in none; `model:word` in that part. Nothing else has a
 * meaning. Undefined where there is no word to look for.
 */
export function searchExpression(text: string): string | undefined {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, part, phrase, word] of text.matchAll(term)) {
    const words = (phrase ?? word ?? '').replaceAll('\0', '');
    // A term without a letter or digit is no term for SQLite either.
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    const quoted = `${part ? `${part} : ` : ''}"${words.replaceAll('"', '""')}"${phrase === undefined ? '*' : ''}`;
    (minus === '-' ? unwanted : wanted).push(quoted);
  }
  if (wanted.length === 0) return undefined;
  return [wanted.join(' AND '), ...unwanted].join(' NOT ');
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
