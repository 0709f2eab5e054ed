import { hash32, mix32 } from '../base/hash32.ts';
import { sha256Hex } from '../base/ids.ts';
import { foldedText, normalForm } from './normalForm.ts';
import { invisible, spaceless } from './words/foldWords.ts';

export interface ReadQuestion {
  /** Question in NFKC without invisible characters; offsets refer to it. */
  readonly text: string;
  /**
   * Words, numbers and signs in order, without case, articles and punctuation; forms of `be`, `do` and `have` are
   * unified.
   */
  readonly content: readonly string[];
  /** Start offset of each entry of `content`; an article belongs to the following word. */
  readonly starts: readonly number[];
  /** End offset of each entry of `content`, exclusive. */
  readonly ends: readonly number[];
}

const isAscii = /^[\0-\x7f]*$/;
const apostrophe = /[\u2018\u2019\u02bc\u2032]/g;
const dash = /[\u2010-\u2013\u2212]/g;
/** Leading `Question:` label of some data sets. */
const label = /^[^\p{L}\p{N}]*(?:question|q)\s*:/iu;

const letters = String.raw`[[\p{L}\p{M}]--${spaceless}]+`;
const part = new RegExp(
  String.raw`(${letters}(?:'${letters})*)|((?:(?<![\p{L}\p{N}.])\.)?\p{N}+(?:[.,]\p{N}+)*)|${spaceless}\p{M}*|[^\s\p{L}\p{M}\p{N}]`,
  'gv',
);

/** A letter that is a word by itself, such as a variable. */
const variable = String.raw`(?<![\p{L}\p{M}'])\p{L}`;
/** Punctuation that is part of a formula, and symbols. Other punctuation is ignored. */
const sign = new RegExp(
  [
    String.raw`[\p{Sm}\p{Sc}\p{So}^%‰&*\/#@\\·]`,
    // A minus. Between letters it is a hyphen, unless both are variables.
    String.raw`(?<![\p{L}\p{M}])-|-(?!\p{L})|(?<=${variable})-(?=\p{L}(?![\p{L}\p{M}]))`,
    // A ratio or a time.
    String.raw`(?<=\p{N}\s?):(?=\s?\p{N})`,
    // A factorial, and the prime of a derivative.
    String.raw`(?<=[\p{N}\)\]]|${variable})!`,
    String.raw`(?<=(?<![\p{L}\p{M}"'])\p{L}'{0,2})'(?!\p{L})`,
    // Brackets of formulas and calls.
    String.raw`[\(\[\{](?=[\p{N}\p{S}\(\[\{\\\/*%\-]|\p{L}(?![\p{L}\p{M}]))|(?<=[\p{L}\p{N}\p{Sm}^*\/\\])[\(\[\{]`,
    String.raw`(?<=[\p{N}\p{S}\)\]\}*\/%!]|${variable})[\)\]\}]|[\)\]\}](?=[\p{N}\p{Sm}^*\/])`,
  ].join('|'),
  'vy',
);

const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the']);
const verbs = {
  be: ['am', 'is', 'are', 'was', 'were', 'been', 'being'],
  do: ['does', 'did'],
  have: ['has', 'had'],
};
const forms: ReadonlyMap<string, string> = new Map(
  Object.entries(verbs).flatMap(([verb, others]) => others.map((form) => [form, verb] as const)),
);
const endOfPhrase = /[.?!;:,]/;

/**
 * Minimum length of a word in which a transposition is tolerated. Among the 40,000 most frequent English words, 103
 * pairs of 4 or 5 letters differ only by one, 29 of 6 letters and 21 of more. Omitted letters (2,118 pairs of 6 and
 * more) and other vowels (1,008) are never tolerated.
 */
const MIN_LETTERS = 6;

/**
 * The one rule for "the same question": the same words, numbers and signs in the same order. Anything else that differs
 * makes another question, but for one misspelled word.
 *
 * @returns undefined for different questions, else the two spellings of a misspelled word, or none
 */
export function sameQuestion(a: readonly string[], b: readonly string[]): readonly string[] | undefined {
  if (a.length !== b.length) return undefined;
  let misspelled: readonly string[] = [];
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    if (misspelled.length > 0 || !isTransposed(a[at]!, b[at]!)) return undefined;
    misspelled = [a[at]!, b[at]!];
  }
  return misspelled;
}

/** True if two adjacent letters are swapped, neither the first nor the last of a long word. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length || !isLong(a) || !isLong(b)) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  const isInside = at > 0 && at + 2 < a.length;
  return isInside && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

const nine = '9'.charCodeAt(0);

/** True if a word is long enough for {@link sameQuestion} to tolerate two swapped letters. */
export function isLong(word: string): boolean {
  const first = word.charCodeAt(0);
  return word.length >= MIN_LETTERS && first > nine && (first < 128 || letter.test(word));
}

/** Parses a question's content; a question without any falls back to its characters. */
export function readQuestion(raw: string): ReadQuestion {
  const text = isAscii.test(raw) ? raw : plainText(raw);
  const read: Content = { text, content: [], starts: [], ends: [] };
  let article: Piece | undefined;
  part.lastIndex = label.exec(text)?.[0].length ?? 0;
  for (let match = part.exec(text); match; match = part.exec(text)) {
    const piece = { found: match[0], start: match.index, end: part.lastIndex };
    const isWord = match[1] !== undefined;
    if (!isWord && match[2] === undefined && !letter.test(piece.found) && !isSign(text, piece.start))
      continue;
    const folded = isWord ? foldCase(piece.found) : piece.found;
    // `a` before a sign or at the end of a phrase is a variable or a name.
    if (article) {
      const gap = text.slice(article.end, piece.start);
      if (article.found === 'a' && !isNoun(piece, gap)) add(read, article);
      else if (!beginsLine(piece, gap)) piece.start = article.start;
    }
    article = undefined;
    if (articles.has(folded)) article = { ...piece, found: folded };
    else if (match[2] !== undefined) addNumber(read, piece);
    else add(read, { ...piece, found: forms.get(folded) ?? folded });
  }
  if (article?.found === 'a' && endOfPhrase.test(text.slice(article.end))) add(read, article);
  if (read.content.length === 0 && text.trim() !== '')
    add(read, { found: foldCase(text.trim()), start: 0, end: text.length });
  return read;
}

interface Content extends ReadQuestion {
  readonly content: string[];
  readonly starts: number[];
  readonly ends: number[];
}

interface Piece {
  found: string;
  start: number;
  end: number;
}

const letter = /\p{L}/u;
const nounStart = /^[\p{L}\p{N}$.]/u;

function isNoun({ found }: Piece, gap: string): boolean {
  return nounStart.test(found) && !endOfPhrase.test(gap);
}

/** True if a word starts a phrase on a new line, so that an article on the previous line does not belong to it. */
function beginsLine({ found }: Piece, gap: string): boolean {
  return endOfPhrase.test(gap) || (gap.includes('\n') && /^\p{Lu}/u.test(found));
}

function isSign(text: string, at: number): boolean {
  sign.lastIndex = at;
  return sign.test(text);
}

function add({ content, starts, ends }: Content, { found, start, end }: Piece): void {
  content.push(found);
  starts.push(start);
  ends.push(end);
}

/** Ignores thousands separators; any other comma separates two numbers. */
function addNumber(read: Content, { found, start, end }: Piece): void {
  if (!found.includes(',')) add(read, { found, start, end });
  else if (thousands.test(found)) add(read, { found: found.replaceAll(',', ''), start, end });
  else {
    const from = end - found.length;
    for (const { 0: one, index } of found.matchAll(/[^,]+/g))
      add(read, { found: one, start: from + index, end: from + index + one.length });
  }
}

function plainText(raw: string): string {
  const text = normalForm(raw.toWellFormed().replace(invisible, ''), 'NFKC').replace(invisible, '');
  return text.replace(apostrophe, "'").replace(dash, '-');
}

/** Folds twice: some letters fold only through their capital form, such as the two small sigmas. */
function foldCase(word: string): string {
  const bare = word.includes("'") ? word.replaceAll("'", '') : word;
  if (isAscii.test(bare)) return bare.toLowerCase();
  return bare.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** Normal form, equal for questions of equal content. */
export function normaliseQuestion(question: string): string {
  return readQuestion(question).content.join(' ');
}

/** Key, equal for the same question with the same profile; other profiles produce other trajectories. */
export function questionKey(profile: string, question: string): string {
  return sha256Hex(`${profile}\n${normaliseQuestion(question)}`);
}

const factors = [0x2c1b3c6d, 0x297a2d39] as const;

/** 53-bit hash, equal for questions that {@link sameQuestion} finds equal or misspelled. */
export function shapeOf(content: readonly string[], group = ''): number {
  let high = 0;
  let low = 0;
  for (const word of content) {
    const hash = shapeOfWord(word);
    high = (Math.imul(high, factors[0]) + hash) | 0;
    low = (Math.imul(low, factors[1]) + hash) | 0;
  }
  return finished(high, low, content.length, group);
}

/** Hashes of all runs of a question's content, as of {@link shapeOf}. */
export function shapesOfRuns(content: readonly string[]): (start: number, end: number) => number {
  const [high, low, highPower, lowPower] = Array.from(
    { length: 4 },
    () => new Int32Array(content.length + 1),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array];
  highPower[0] = lowPower[0] = 1;
  for (const [at, word] of content.entries()) {
    const hash = shapeOfWord(word);
    high[at + 1] = Math.imul(high[at]!, factors[0]) + hash;
    low[at + 1] = Math.imul(low[at]!, factors[1]) + hash;
    highPower[at + 1] = Math.imul(highPower[at]!, factors[0]);
    lowPower[at + 1] = Math.imul(lowPower[at]!, factors[1]);
  }
  return (start, end) =>
    finished(
      (high[end]! - Math.imul(high[start]!, highPower[end - start]!)) | 0,
      (low[end]! - Math.imul(low[start]!, lowPower[end - start]!)) | 0,
      end - start,
    );
}

function finished(high: number, low: number, length: number, group = ''): number {
  const seed = hash32(group) + length;
  return (mix32(high ^ seed) >>> 0) * 2 ** 21 + (mix32(low + seed) >>> 11);
}

/** Hash of a long word: first and last letter in place, the others in any order. */
function shapeOfWord(word: string): number {
  if (!isLong(word)) return hash32(word);
  const last = word.length - 1;
  let hash = mix32(Math.imul(word.charCodeAt(0), factors[0]) ^ Math.imul(word.charCodeAt(last), factors[1]));
  for (let at = 1; at < last; at++) hash = (hash + mix32(word.charCodeAt(at))) | 0;
  return hash;
}

/** Gold answers without case, white space, a leading article and a final full stop. */
export function answerSet(answers: readonly string[]): ReadonlySet<string> {
  return new Set(
    answers.map((answer) =>
      foldedText(answer)
        .replace(/^(?:the|an?) (?=.)/, '')
        .replace(/(?<=.)\.$/, ''),
    ),
  );
}

/** True if both have gold answers and no answer is common to both. */
export function haveOtherAnswers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && ![...a].some((answer) => b.has(answer));
}
