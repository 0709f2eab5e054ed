import { normalForm } from '../../../schemas/normalForm.ts';
import { plainCharacters } from '../plainCharacters.ts';

const marks = /(?:(?![‰′])[\p{P}\u2212$+`|~])+/gu;
const articles = /(?<![\p{L}\p{M}\p{N}])(?:a|an|the)(?= )/gu;
const dash = '[\\p{Pd}\\u2212]';
/** `1990 - 1991` is `1990-1991`. */
const spacedDash = new RegExp(`(?<=\\d) ${dash} (?=\\d)`, 'gu');
const spacedTilde = /~ (?=\d)/g;
const minus = new RegExp(`${dash}$`, 'u');
const onlyDash = new RegExp(`^${dash}$`, 'u');

/**
 * Text as SQuAD's evaluation compares it: lower case, no punctuation, no articles, white space folded. Added, because
 * without it different answers become equal: the sign between two numbers stays (`1.5`, `3/4`, `10:30`, `1990-1991`)
 * but for the comma of thousands, as do the signs of `-5` and `~5`, `<`, `=`, `>`, `^`, `‰` and `′`, the end of `C++`
 * and `C#`, and an article that nothing follows (`vitamin A`). Unicode punctuation counts too, compatibility forms are
 * folded. A text of nothing but punctuation stays as it is in lower case. Normalising twice changes nothing.
 */
export function normaliseAnswer(text: string): string {
  const folded = foldSpace(normalForm(plainCharacters(text).toLowerCase(), 'NFKC'));
  const bare = folded.replace(spacedDash, '-').replace(spacedTilde, '~').replace(marks, withoutMarks);
  const words = foldSpace(foldSpace(bare).replace(articles, ' '));
  return words === '' ? folded : words;
}

function foldSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What stays of the marks that follow each other at one place. */
function withoutMarks(run: string, at: number, text: string): string {
  const before = text[at - 1] ?? ' ';
  const after = text.slice(at + run.length, at + run.length + 4);
  if (!/^\d/.test(after)) return behindWord(run, text.slice(Math.max(0, at - 3), at), after);
  if (/\d/.test(before)) return betweenDigits(run, after);
  if (before === '^' && minus.test(run)) return '-';
  if (run.endsWith('~')) return before === ' ' ? '~' : ' ~';
  if (!minus.test(run) || (run.length === 1 && before !== ' ')) return '';
  return before === ' ' ? '-' : ' -';
}

/** `C++` and `C#`, and `A-` and `Cl-`, which are another grade and an ion. */
function behindWord(run: string, before: string, after: string): string {
  if (!/[\p{L}\p{M}\p{N}]$/u.test(before)) return '';
  const isSigned = /(?:^| )[a-z]{1,2}$/.test(before) && (after === '' || after.startsWith(' '));
  return isSigned && onlyDash.test(run) ? '-' : (/^[+#]+/.exec(run)?.[0] ?? '');
}

function betweenDigits(run: string, after: string): string {
  if (run === ',' && /^\d{3}(?!\d)/.test(after)) return '';
  if (onlyDash.test(run)) return '-';
  if (/^[.,:/+*]$/.test(run)) return run;
  return minus.test(run) ? ' -' : ' ';
}
