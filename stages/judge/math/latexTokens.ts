import { addRatios, divideRatios, parseRatio, type Ratio, ratio } from '../../../schemas/answers/ratio.ts';
import { readSpokenNumber } from '../../../schemas/words/numberWords.ts';
import { emptySet, type MathNode, numberNode } from './mathNode.ts';
import { Undecidable, type WorkBudget } from './undecidable.ts';

const token = / ?(\d+(?:\.\d*)?|\.\d+|\\[a-zA-Z]+|\\.|.|$)/suy;

/** Tokenises normalised LaTeX text: numbers, commands, single characters; '' at the end. */
export class LatexTokens {
  readonly #text: string;
  readonly #work: WorkBudget;
  #at = 0;
  #next: { readonly token: string; readonly end: number } | undefined;

  constructor(text: string, work: WorkBudget) {
    this.#text = text;
    this.#work = work;
  }

  /** Offset of the next token; setting it rewinds. */
  get at(): number {
    return this.#at;
  }

  set at(place: number) {
    this.#at = place;
    this.#next = undefined;
  }

  /** Next token, not consumed. */
  peek(): string {
    this.#next ??= this.#read();
    return this.#next.token;
  }

  /** Consumes a token. */
  next(): string {
    const found = this.peek();
    this.at = this.#next!.end;
    return found;
  }

  /** Consumes a token if it is one of these. */
  take(...expected: readonly string[]): boolean {
    if (!expected.includes(this.peek())) return false;
    this.next();
    return true;
  }

  /** Consumes one digit only: `\frac43` is 4/3. */
  takeDigit(): string | undefined {
    return this.takeMatch(/ ?(\d)/y)?.[1];
  }

  /** Consumes a match of a sticky pattern. */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match;
  }

  /** True if a sticky pattern matches here. */
  startsWith(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #read(): { token: string; end: number } {
    this.#work.spend(1);
    token.lastIndex = this.#at;
    return { token: token.exec(this.#text)![1]!, end: token.lastIndex };
  }
}

/** Commands for one letter or for a named set. */
export const letterCommand =
  /^\\(?:alpha|beta|gamma|delta|varepsilon|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon|varphi|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega|ell|emptyset)$/;

/** Accents that make a different letter. */
export const accent = /^\\(?:hat|vec|bar|overline|tilde|dot)$/;

/** Inverse functions, written with power -1. */
export const inverses: Readonly<Record<string, string>> = { sin: 'arcsin', cos: 'arccos', tan: 'arctan' };

/** Functions that need no brackets. */
export const prefixFunctions = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan ln log exp'.split(' '),
);

/** True if a command starts an operand, so that juxtaposition multiplies. */
export function isOperand(command: string): boolean {
  if (!command.startsWith('\\')) return false;
  return (
    prefixFunctions.has(command.slice(1)) ||
    letterCommand.test(command) ||
    accent.test(command) ||
    /^\\(?:frac|sqrt|binom|pi|infty|lvert|lfloor|lceil|begin|mathbb)$/.test(command)
  );
}

/** Repeating digits: under one bar, in brackets right after the point, or with a dot over the first and the last. */
const repeatingDigits =
  / ?(?:\\(?:overline|bar)\{(\d{1,30})\}|(?<=\.)\((\d{1,30})\)|\\dot ?(?:\{(\d{1,30})\}|(\d))(?:(\d{0,28})\\dot ?(?:\{(\d)\}|(\d)))?)(?!\d)/y;
const baseSubscript = /_(?:(\d{1,2})|\{(\d{1,2})\})/y;
const plainFraction = / ?\\frac ?(?:\{(\d+)\}|(\d)) ?(?:\{(\d+)\}|(\d))/y;
const typedFraction = / (\d+)\/(\d+)/y;

/** An integer or decimal, optionally negative. Throws {@link Undecidable} for very long ones. */
export function wholeNode(digits: string): MathNode {
  const isNegative = digits.startsWith('-');
  const value = parseRatio(isNegative ? digits.slice(1) : digits);
  if (!value) throw new Undecidable('a number of very many digits');
  const node = numberNode(value, digits.includes('.'));
  return isNegative ? { kind: 'negative', of: node } : node;
}

/** A number with its repeating digits, base, or the fraction of a mixed number. */
export function readNumber(token: string, tokens: LatexTokens): MathNode {
  const repeating = tokens.takeMatch(repeatingDigits)?.slice(1).join('');
  if (repeating !== undefined) return numberNode(repeatingDecimal(token, repeating));
  const whole = wholeNode(token);
  if (!/^\d+$/.test(token)) return whole;
  return withBase(whole, tokens) ?? mixed(whole, tokens);
}

/** An integer in the base that follows; undefined without one. */
export function withBase(node: MathNode, tokens: LatexTokens): MathNode | undefined {
  if (node.kind !== 'number' || node.value.under !== 1n || node.isDecimal) return undefined;
  const [, bare, braced] = tokens.takeMatch(baseSubscript) ?? [];
  const base = Number(bare ?? braced ?? 0);
  return base < 2 ? undefined : { kind: 'based', digits: `${node.value.over}`, base };
}

/** Reads `0.1\overline{6}` as 1/6. */
function repeatingDecimal(token: string, digits: string): Ratio {
  if (!token.includes('.')) throw new Undecidable('repeating digits of a whole number');
  const places = BigInt(token.length - 1 - token.indexOf('.'));
  const period = ratio(BigInt(digits), 10n ** places * (10n ** BigInt(digits.length) - 1n));
  const start = parseRatio(token);
  const sum = period && start && addRatios(start, period);
  if (!sum) throw new Undecidable('a number of very many digits');
  return sum;
}

/** Reads `1\frac{4}{5}` and `1 4/5` as 1.8; `2\frac{x}{3}` is a product. */
function mixed(whole: MathNode, tokens: LatexTokens): MathNode {
  const found = tokens.takeMatch(plainFraction) ?? tokens.takeMatch(typedFraction);
  if (!found) return whole;
  const [over, under] = found
    .slice(1)
    .filter((digits) => digits !== undefined)
    .map(parseRatio);
  const fraction = over && under && divideRatios(over, under);
  if (!fraction) throw new Undecidable('a fraction of very many digits, or of nothing');
  return { kind: 'sum', terms: [whole, numberNode(fraction)] };
}

const realNumbers: MathNode = { kind: 'letter', name: '\\mathbbR' };

/** Phrases with a symbol of their own. */
const phrases: readonly (readonly [RegExp, MathNode])[] = [
  [
    /^(?:(?:there (?:is|are)|(?:the|this) (?:equation|system|inequality|problem) has) )?no solutions?(?: exists?)?$|^none$|^(?:the )?empty set$/,
    emptySet,
  ],
  [/^all real(?: number)?s$/, realNumbers],
  [/^infinity$/, { kind: 'constant', name: 'infinity' }],
  [/^dne$/, { kind: 'words', text: 'does not exist' }],
];

/** Meaning of words: a number (`12`, `twenty`), a known phrase, or the words themselves. */
export function wordsNode(text: string): MathNode {
  const plain = text
    .toLowerCase()
    .replace(/[.!]+\s*$/, '')
    .trim();
  const known = phrases.find(([pattern]) => pattern.test(plain))?.[1];
  if (known) return known;
  const digits = /^\d+(?:\.\d+)?$/.test(text) ? parseRatio(text) : undefined;
  if (digits) return numberNode(digits, text.includes('.'));
  const spoken = readSpokenNumber(plain.split(/[\s-]+/));
  const value = spoken && ratio(spoken.over, spoken.under);
  return value ? numberNode(value, spoken.isDecimal) : { kind: 'words', text };
}
