import { type FoldedWords, spaceless } from './foldWords.ts';
import { isNegated, oppositeWords } from './opposites.ts';

/** English words that say nothing about what is asked. Words that change a question, such as `who`, are not here. */
const functionWords: ReadonlySet<string> = new Set(
  'a an the of in on at is are was were be been am do does did has have had s please'.split(' '),
);
/** What begins a sentence without being a name. */
const openers: ReadonlySet<string> = new Set([
  ...functionWords,
  ...'what which who whom whose when where why how can could will would shall should may might must if let given for from to by with during among between as and or but so then that this these those there it its one find name give tell list write compute determine calculate evaluate solve prove show suppose consider assume explain describe identify state return read print count implement design create remove answer your you we i my here'.split(
    ' ',
  ),
]);

const number = /\p{N}/u;
/** A variable, such as `x`; not a sign of a script without spaces, of which each is a word. */
const variable = /^[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]$/u;
const capital = /^\p{Lu}/u;
const lowerCase = /\p{Ll}/u;
/** What ends a sentence, so that a capital letter behind it tells nothing. */
const sentenceEnd = /[.?!:;"“”„«»\n。？！]/u;
/** Whether a text shows its names: by capitals within sentences, or it may have none, or it is of one case. */
type Casing = 'names' | 'sentences' | 'none';

/** What tells a question from others. */
export interface AskedWords {
  /** All but function words, in order. */
  readonly telling: readonly string[];
  /** Those of them that another word makes another question of: names, numbers, variables, order, opposites, negation. */
  readonly distinguishing: ReadonlySet<string>;
  readonly casing: Casing;
}

/** The words that tell what is asked, in order: all but function words. */
export function tellingWords(words: readonly string[]): string[] {
  return words.filter((word) => !functionWords.has(word)).map((word) => (word === 'which' ? 'what' : word));
}

/** Whether a folded word distinguishes questions wherever it stands: a number, a variable, an opposite, a negation. */
export function isDistinguishing(word: string): boolean {
  return (
    number.test(word) ||
    oppositeWords.has(word) ||
    (word !== 'a' && variable.test(word) && !functionWords.has(word))
  );
}

/** What tells a question from others. In a text of one case any word may be a name; {@link differ} goes by the other. */
export function askedWords(form: FoldedWords): AskedWords {
  const { words } = form;
  const written = words.map((_, at) => form.text.slice(form.starts[at], form.ends[at]));
  const hasLower = written.some((word) => lowerCase.test(word));
  const capitals = words.map((_, at) => hasLower && capital.test(written[at]!));
  const names = new Set(
    words.filter((word, at) => capitals[at] && !(openers.has(word) && isFirst(form, at))),
  );
  const telling = tellingWords(words);
  return {
    telling,
    distinguishing: new Set(telling.filter((word) => names.has(word) || isDistinguishing(word))),
    casing: names.size > 0 ? 'names' : capitals.includes(true) ? 'sentences' : 'none',
  };
}

function isFirst({ text, starts, ends }: FoldedWords, at: number): boolean {
  return at === 0 || sentenceEnd.test(text.slice(ends[at - 1], starts[at]));
}

/** How two questions differ. */
interface Difference {
  /** Whether a distinguishing word is in one alone, or two have changed places. */
  readonly isOther: boolean;
  /** Telling words that one alone has, misspelled ones of the other left out. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  /** How well the two show their names: as the better one does. */
  readonly casing: Casing;
}

const casings: readonly Casing[] = ['names', 'sentences', 'none'];

/**
 * How the telling words of two questions differ; those of equal words in another order don't, but for swapped names.
 *
 * @param isSlip whether a word may be a misspelled one of the other question
 */
export function differ(
  first: AskedWords,
  second: AskedWords,
  isSlip: (word: string, other: string) => boolean,
): Difference {
  const lacking = missingWords(first.telling, second.telling);
  const added = missingWords(second.telling, first.telling);
  const areOneWord = (word: string, other: string) =>
    !(isDistinguishing(word) && isDistinguishing(other)) && isSlip(word, other);
  const onlyFirst = lacking.filter((word) => !added.some((other) => areOneWord(word, other)));
  const onlySecond = added.filter((word) => !lacking.some((other) => areOneWord(word, other)));
  const tells = (word: string) => first.distinguishing.has(word) || second.distinguishing.has(word);
  const isOther =
    [...onlyFirst, ...onlySecond].some(tells) ||
    onlyFirst.some((word) => onlySecond.some((other) => isNegated(word, other))) ||
    (lacking.length + added.length === 0 && areSwapped(first.telling, second.telling, tells));
  const casing = casings.find((one) => [first.casing, second.casing].includes(one))!;
  return { isOther, onlyFirst, onlySecond, casing };
}

/** Words of the first list that the second has less often. */
function missingWords(words: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

/** Whether distinguishing words changed places among words that did not: 7 minus 2 is not 2 minus 7. */
function areSwapped(
  words: readonly string[],
  others: readonly string[],
  tells: (word: string) => boolean,
): boolean {
  const moved = words.filter((word, at) => word !== others[at]);
  return moved.length > 0 && moved.length < words.length && moved.every(tells);
}

/** Whether words stand among others, in the same order, but for so many; `isEqual` may let misspelled ones count. */
export function standInOrder(
  words: readonly string[],
  others: readonly string[],
  maxMissing = 0,
  isEqual: (word: string, other: string) => boolean = (word, other) => word === other,
): boolean {
  let from = 0;
  let missing = 0;
  for (const word of words) {
    let at = from;
    while (at < others.length && !isEqual(word, others[at]!)) at++;
    if (at < others.length) from = at + 1;
    else if (++missing > maxMissing) return false;
  }
  return true;
}

const sign = new RegExp(`^${spaceless}`, 'u');

/** Whether a word is a sign of a script without spaces, of which none is a name by itself. */
export function isSign(word: string): boolean {
  return sign.test(word);
}
