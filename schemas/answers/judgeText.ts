import { isDeepStrictEqual } from 'node:util';
import { Counts } from '../../base/counts.ts';
import { normalForm } from '../normalForm.ts';
import { type CalendarDate, parseCalendarDate } from '../words/calendarDate.ts';
import { equalPlainNumbers, type PlainNumber, parsePlainNumber, withExponent } from '../words/plainNumber.ts';
import { type Amount, equalTextAmounts, parseAmount } from './amount.ts';
import { mayBeSame } from './nearTexts.ts';
import { plainCharacters, statedWords } from './statedAnswer.ts';

/** Comparison of one prediction with one gold answer. */
interface TextMatch {
  /**
   * `number`, `date`, `amount`: both texts parse as that type and were compared as such; `exact`: same words;
   * `order`: same words in another order, never a match; `f1`: words in common.
   */
  readonly method: 'number' | 'date' | 'amount' | 'exact' | 'order' | 'f1';
  readonly score: number;
  readonly gold: string;
  /** Reason why equality could not be decided. */
  readonly undecided?: keyof typeof undecidedTexts;
}

export const undecidedTexts = {
  units: "units that can't be converted",
  words: 'other words or spelling, which may state the same',
} as const;

interface TextSettings {
  /** Minimum F1 of a correct answer. */
  readonly minF1: number;
  readonly numberTolerance: number;
}

/** Result for a whole answer, which may state several joined by `|`. */
interface TextFinding {
  readonly correct: boolean;
  /** Minimum score of the parts; 0 if parts of the gold answer are missing. */
  readonly score: number;
  /** One entry a part. */
  readonly matches: readonly (TextMatch & { readonly prediction: string })[];
}

/** Maximum parts; longer answers are compared as one text because the cost grows with parts times gold answers. */
const MAX_PARTS = 50;

/**
 * Compares an answer with gold answers, any of which is right. Several answers joined by `|` must all be right
 * (AFM's rule). A gold answer that joins several itself asks for all of them, in any order.
 */
export function judgeText(said: string, wanted: readonly string[], settings: TextSettings): TextFinding {
  const [answer, golds] = [statedWords(said), wanted.map(statedWords)];
  const predictions = partsOf(answer).map(comparableText);
  const whole = predictions.length === 1 ? predictions[0]! : comparableText(answer);
  const findings = golds.filter((gold) => partsOf(gold).length > 1).map((gold) => allOf(gold));
  const single = golds.filter((gold) => partsOf(gold).length === 1).map(comparableText);
  if (single.length > 0) findings.push(findingOf(predictions, single, settings));
  return findings.reduce((best, finding) => (isBetter(finding, best) ? finding : best));

  function allOf(gold: string): TextFinding {
    const parts = partsOf(gold).map(comparableText);
    const finding = findingOf(predictions, parts, settings);
    const others = findingOf(parts, predictions, settings);
    const isSame = whole.normalised === comparableText(gold).normalised;
    const correct = predictions.length === parts.length && finding.correct && others.correct;
    if (correct || isSame) return { ...finding, correct: true, score: isSame ? 1 : finding.score };
    const isComplete = predictions.length === parts.length;
    return { ...finding, correct: false, score: isComplete ? Math.min(finding.score, others.score) : 0 };
  }
}

function isBetter(a: TextFinding, b: TextFinding): boolean {
  return a.correct === b.correct ? a.score > b.score : a.correct;
}

/** Splits answers at `|`. */
export function partsOf(text: string): string[] {
  const parts = text.split('|', MAX_PARTS + 1).map((part) => part.trim());
  return parts.length > MAX_PARTS ? [text] : parts;
}

function findingOf(
  parts: readonly ComparableText[],
  golds: readonly ComparableText[],
  settings: TextSettings,
): TextFinding {
  const matches = parts.map((part) => ({ prediction: part.text, ...bestMatch(part, golds, settings) }));
  const score = Math.min(...matches.map((match) => match.score));
  const correct = matches.every((match) => isRight(match, settings));
  return { correct, score, matches };
}

function bestMatch(
  prediction: ComparableText,
  golds: readonly ComparableText[],
  settings: TextSettings,
): TextMatch {
  const matches = golds.map((gold) => matchTexts(prediction, gold, settings.numberTolerance));
  const best = matches.reduce((found, match) => (match.score > found.score ? match : found));
  return isRight(best, settings) ? best : (matches.find(({ undecided }) => undecided) ?? best);
}

function isRight({ method, score }: TextMatch, { minF1 }: TextSettings): boolean {
  return method === 'f1' ? score >= minF1 : score === 1;
}

/** Typed readings of a text. */
interface TypedText {
  readonly number: PlainNumber | undefined;
  readonly date: CalendarDate | undefined;
  readonly amount: Amount | undefined;
}

/** Compares two texts as numbers, dates or amounts; undefined unless both have the type. */
export function matchTyped(
  a: TypedText,
  gold: TypedText,
  numberTolerance: number,
): Pick<TextMatch, 'method' | 'score' | 'undecided'> | undefined {
  if (a.number && gold.number)
    return { method: 'number', score: Number(equalPlainNumbers(a.number, gold.number, numberTolerance)) };
  if (a.date && gold.date) return { method: 'date', score: Number(isDeepStrictEqual(a.date, gold.date)) };
  const equal = a.amount && gold.amount && equalTextAmounts(a.amount, gold.amount, numberTolerance);
  if (equal === undefined) return undefined;
  return {
    method: 'amount',
    score: equal === true ? 1 : 0,
    ...(equal === 'unknown' && { undecided: 'units' }),
  };
}

/** Compares two texts as numbers, dates or amounts if both parse as such, otherwise by their words. */
export function matchTexts(a: ComparableText, gold: ComparableText, numberTolerance: number): TextMatch {
  const typed = matchTyped(a, gold, numberTolerance);
  if (typed) return { ...typed, gold: gold.text };
  const match = (
    method: TextMatch['method'],
    score: number,
    undecided?: TextMatch['undecided'],
  ): TextMatch => ({ method, score, gold: gold.text, ...(undecided && { undecided }) });
  if (a.normalised === gold.normalised) return match('exact', 1);
  const score = wordF1(a, gold);
  const undecided =
    mayBeSame(a, gold) || isAmountInWords(a, gold) || isAmountInWords(gold, a) ? 'words' : undefined;
  return score === 1 ? match('order', 0, undecided) : match('f1', score, undecided);
}

/** True if one text is a number, date or amount and the other has a number among words: `about 1.2 million`. */
function isAmountInWords(typed: ComparableText, said: ComparableText): boolean {
  const isTyped = ({ number, date, amount }: ComparableText) => number ?? date ?? amount;
  const isInWords = said.words > 1 && /\p{N}/u.test(said.normalised);
  return isInWords && isTyped(typed) !== undefined && isTyped(said) === undefined;
}

interface ComparableText extends TypedText {
  readonly text: string;
  readonly normalised: string;
  /** Occurrences of each word of the normalised text. */
  readonly wordCounts: ReadonlyMap<string, number>;
  readonly words: number;
}

/** Maximum length of text parsed as a number, date or amount. */
const MAX_TYPED_CHARS = 400;

/** Precomputes the readings of a text; the cost is linear in its length. */
export function comparableText(text: string): ComparableText {
  const normalised = normaliseAnswer(text);
  const words = normalised.split(' ');
  return { text, normalised, wordCounts: Counts.of(words), words: words.length, ...typedText(text) };
}

/** Parses a text as number, date and amount. */
export function typedText(text: string): TypedText {
  return text.length > MAX_TYPED_CHARS ? untyped : typedPlainText(plainCharacters(text));
}

const untyped: TypedText = { number: undefined, date: undefined, amount: undefined };

/** Like {@link typedText}, for text that is already in plain characters. */
export function typedPlainText(text: string): TypedText {
  const plain = withExponent(text);
  return { number: parsePlainNumber(plain), date: parseCalendarDate(plain), amount: parseAmount(plain) };
}

/** F1 over the words of two texts, counted with multiplicity: 1 for the same words, 0 for none shared. */
export function wordF1(a: ComparableText, b: ComparableText): number {
  const [few, many] = a.wordCounts.size < b.wordCounts.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [word, count] of few.wordCounts) shared += Math.min(count, many.wordCounts.get(word) ?? 0);
  return (2 * shared) / (a.words + b.words);
}

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

/** Punctuation to keep from a run of marks. */
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

/** Keeps `C++`, `C#`, `A-` and `Cl-`: without the sign they mean something else. */
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
