const marks = /[\p{P}\u2212$+<=>^`|~]/gu;
const articles = /(?<![\p{L}\p{M}\p{N}])(?:a|an|the)(?![\p{L}\p{M}\p{N}])/gu;
const dash = /[\p{Pd}\u2212]/u;

/**
 * Text as SQuAD's evaluation compares it: lower case, no punctuation, no articles, white space folded. Added, because
 * without it different numbers become equal: the point of `1.5` and the minus of `-5` stay, the dash of `1990-1991`
 * becomes a space. Unicode punctuation counts too, compatibility forms are folded. A text of nothing but articles and
 * punctuation stays as it is in lower case. Normalising twice changes nothing.
 */
export function normaliseAnswer(text: string): string {
  const folded = foldSpace(text.normalize('NFKC').toLowerCase().normalize('NFKC'));
  const words = foldSpace(folded.replace(marks, withoutMark).replace(articles, ' '));
  return words === '' ? folded : words;
}

function foldSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function withoutMark(mark: string, at: number, text: string): string {
  const before = text[at - 1] ?? ' ';
  const beforeNumber = /\d/.test(text[at + mark.length] ?? '');
  if (!beforeNumber) return '';
  if (mark === '.' && /\d/.test(before)) return mark;
  if (!dash.test(mark)) return '';
  if (before === ' ') return '-';
  return /\d/.test(before) ? ' ' : '';
}

/** F1 over the words of two normalised texts, counted with multiplicity: 1 for the same words, 0 for none shared. */
export function wordF1(a: string, b: string): number {
  const left = a.split(' ');
  const right = b.split(' ');
  const counts = new Map<string, number>();
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of right) {
    const count = counts.get(word) ?? 0;
    if (count === 0) continue;
    counts.set(word, count - 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length);
}
