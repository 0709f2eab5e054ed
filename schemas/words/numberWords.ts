/** Maps words to consecutive numbers from a start and a step. */
function counted(words: string, first: number, step = 1): ReadonlyMap<string, number> {
  return new Map(words.split(' ').map((word, at) => [word, first + at * step]));
}
const ones = counted('one two three four five six seven eight nine', 1);
const teens = counted('ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', 10);
const tens = counted('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10);

/** Power of ten of each scale word (short scale). */
export const scaleWords: ReadonlyMap<string, number> = new Map([
  ['hundred', 2],
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
  ['trillion', 12],
]);

const groupScales: readonly string[] = ['trillion', 'billion', 'million', 'thousand'];

/**
 * Reads the longest whole number in English words that a list of lower-case words begins with, for instance
 * `two hundred and five`, `a million`, `twenty-one` (as two words). Undefined when it begins with none. Years said in
 * pairs (`nineteen eighty-four`) are not read.
 *
 * @returns the number, and how many words were read
 */
export function readNumberWords(
  words: readonly string[],
): { readonly value: bigint; readonly words: number } | undefined {
  if (words[0] === 'zero') return { value: 0n, words: 1 };
  const reader = new WordReader(words);
  let value = 0n;
  for (const scale of groupScales) {
    const before = reader.at;
    const below = reader.belowThousand(value > 0n);
    if (below !== undefined && reader.take(scale)) {
      value += BigInt(below) * 10n ** BigInt(scaleWords.get(scale)!);
    } else reader.at = before;
  }
  const rest = reader.belowThousand(value > 0n);
  if (rest !== undefined) value += BigInt(rest);
  return value === 0n ? undefined : { value, words: reader.at };
}

class WordReader {
  readonly #words: readonly string[];
  at = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  take(word: string): boolean {
    if (this.#words[this.at] !== word) return false;
    this.at += 1;
    return true;
  }

  /** Reads a number from 1 to 999; with `isLater` an `and` may precede it. Consumes nothing without a number. */
  belowThousand(isLater: boolean): number | undefined {
    const before = this.at;
    if (isLater) this.take('and');
    const number = this.#withHundreds();
    if (number === undefined) this.at = before;
    return number;
  }

  #withHundreds(): number | undefined {
    const before = this.at;
    const count = this.take('a') || this.take('an') ? 1 : this.#lookUp(ones);
    if (count !== undefined && this.take('hundred')) {
      const afterHundred = this.at;
      this.take('and');
      const rest = this.#belowHundred();
      if (rest === undefined) this.at = afterHundred;
      return count * 100 + (rest ?? 0);
    }
    // `a million` is a number, `a` alone is an article.
    if (count === 1 && this.#words[before]!.startsWith('a')) return this.#beforeScale(before);
    this.at = before;
    return this.#belowHundred();
  }

  #beforeScale(before: number): number | undefined {
    if (groupScales.includes(this.#words[this.at] ?? '')) return 1;
    this.at = before;
    return undefined;
  }

  #belowHundred(): number | undefined {
    const ten = this.#lookUp(tens);
    if (ten !== undefined) return ten + (this.#lookUp(ones) ?? 0);
    return this.#lookUp(teens) ?? this.#lookUp(ones);
  }

  #lookUp(table: ReadonlyMap<string, number>): number | undefined {
    const found = table.get(this.#words[this.at] ?? '');
    if (found !== undefined) this.at += 1;
    return found;
  }
}

const irregularOrdinals: ReadonlyMap<string, string> = new Map([
  ['first', 'one'],
  ['second', 'two'],
  ['third', 'three'],
  ['fifth', 'five'],
  ['eighth', 'eight'],
  ['ninth', 'nine'],
  ['twelfth', 'twelve'],
]);

/** Cardinal of an ordinal word: `third` -> `three`, `twentieth` -> `twenty`; undefined for other words. */
export function cardinalOf(word: string): string | undefined {
  const irregular = irregularOrdinals.get(word);
  if (irregular !== undefined) return irregular;
  const stem = word.endsWith('ieth') ? `${word.slice(0, -4)}y` : word.endsWith('th') ? word.slice(0, -2) : '';
  const isNumber = ones.has(stem) || teens.has(stem) || tens.has(stem) || scaleWords.has(stem);
  return isNumber ? stem : undefined;
}

/** A spoken number as a quotient of integers; `isDecimal` if it contains `point`. */
interface SpokenNumber {
  readonly over: bigint;
  readonly under: bigint;
  readonly isDecimal: boolean;
}

const minusWords: ReadonlySet<string> = new Set(['minus', 'negative']);

/**
 * Reads lower-case words that are one number and nothing else: `minus four`, `three quarters`, `two and a half`,
 * `one twenty-fifth` (as three words), `zero point two five`. Undefined for all others, and for those that may be two
 * numbers: `two hundred thousandths`.
 */
export function readSpokenNumber(words: readonly string[]): SpokenNumber | undefined {
  const isNegative = minusWords.has(words[0] ?? '');
  const size = readSize(isNegative ? words.slice(1) : words);
  return size && isNegative ? { ...size, over: -size.over } : size;
}

function readSize(words: readonly string[]): SpokenNumber | undefined {
  const whole = readWhole(words);
  if (whole !== undefined) return { over: whole, under: 1n, isDecimal: false };
  return readDecimal(words) ?? readMixed(words) ?? readFraction(words);
}

function readWhole(words: readonly string[]): bigint | undefined {
  const read = readNumberWords(words);
  return read?.words === words.length ? read.value : undefined;
}

/** Reads a decimal; `point` may come first, and each digit after it is a separate word. */
function readDecimal(words: readonly string[]): SpokenNumber | undefined {
  const at = words.indexOf('point');
  const whole = at === 0 ? 0n : readWhole(words.slice(0, Math.max(0, at)));
  const digits = words.slice(at + 1).map((word) => (word === 'zero' ? 0 : ones.get(word)));
  if (at < 0 || whole === undefined || digits.length === 0 || digits.includes(undefined)) return undefined;
  return { over: BigInt(`${whole}${digits.join('')}`), under: 10n ** BigInt(digits.length), isDecimal: true };
}

/** Reads `two and a half`; rejects `one hundred and two fifths`, which may be 102/5. */
function readMixed(words: readonly string[]): SpokenNumber | undefined {
  const at = words.lastIndexOf('and');
  const whole = at < 0 || scaleWords.has(words[at - 1] ?? '') ? undefined : readWhole(words.slice(0, at));
  const part = whole && readFraction(words.slice(at + 1));
  if (!part || part.over >= part.under) return undefined;
  return { ...part, over: whole * part.under + part.over };
}

/** Reads `half`, `a third`, `two thirds`, `three twenty-fifths`: plural unless it is one. */
function readFraction(words: readonly string[]): SpokenNumber | undefined {
  if (words.includes('and')) return undefined;
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const name = last.endsWith('s') ? singularOf(last) : last;
  const under = denominatorOf(name);
  if (under === undefined) return undefined;
  const parts = last === 'half' && before.length === 0 ? ['one'] : before;
  const [count, divided] = withTens(parts, under);
  const over = ['a', 'an'].includes(count.join(' ')) ? 1n : readWhole(count);
  const isPair = divided !== under && readWhole(parts) !== undefined;
  const isLongScale = under >= 100n && scaleWords.has(count.at(-1) ?? '');
  if (!over || isPair || isLongScale || (over === 1n) !== (name === last)) return undefined;
  return { over, under: divided, isDecimal: false };
}

/** Joins tens with a denominator below ten: `one twenty fifth` is 1/25. */
function withTens(parts: readonly string[], under: bigint): readonly [readonly string[], bigint] {
  const ten = tens.get(parts.at(-1) ?? '');
  return ten === undefined || under > 9n ? [parts, under] : [parts.slice(0, -1), BigInt(ten) + under];
}

function singularOf(plural: string): string {
  return plural === 'halves' ? 'half' : plural.slice(0, -1);
}

function denominatorOf(name: string): bigint | undefined {
  if (name === 'half') return 2n;
  if (name === 'quarter') return 4n;
  const cardinal = name === 'first' || name === 'second' ? undefined : cardinalOf(name);
  if (cardinal === undefined) return undefined;
  return readNumberWords(scaleWords.has(cardinal) ? ['one', cardinal] : [cardinal])?.value;
}

/** True if one of the lower-case words is a number, a part of one, or its sign. */
export function holdsNumberWord(words: readonly string[]): boolean {
  return words.some((word) => {
    const name = word.endsWith('s') ? singularOf(word) : word;
    const isNumber = readNumberWords([word]) !== undefined || scaleWords.has(name) || name === 'dozen';
    return isNumber || minusWords.has(word) || denominatorOf(name) !== undefined;
  });
}
