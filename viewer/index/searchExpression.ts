import { UserError } from '../../base/userError.ts';
import { textNames } from './fields.ts';

/** Each takes the time of a search by itself. */
const MAX_TERMS = 32;

const term = new RegExp(`(-?)(?:(${textNames.join('|')}):)?(?:"([^"]*)"?|(\\S+))`, 'g');

/**
 * What a person types as an expression of SQLite's full-text search: all words must stand in a record, each as the beginning
 * of a word; `"some words"` in this order; `-word` in none; `model:word` in that part. Nothing else has a meaning. A term
 * that is typed twice counts once. Empty where there is no word to look for.
 *
 * @throws UserError for too many terms
 */
export function searchExpression(text: string): string {
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
  if (wanted.size === 0) return '';
  return [`(${[...wanted].join(' AND ')})`, ...unwanted].join(' NOT ');
}
