import { readNumberWords } from '../../../schemas/words/numberWords.ts';
import type { LatexTokens } from './latexTokens.ts';
import { type MathNode, numberNode } from './mathNode.ts';
import { addRatios, divideRatios, parseRatio, type Ratio, ratio } from './ratio.ts';
import { Undecidable } from './undecidable.ts';

const repeatingDigits = / ?\\(?:overline|bar)\{(\d{1,30})\}/y;
const baseSubscript = /_(?:(\d{1,2})|\{(\d{1,2})\})/y;
const plainFraction = / ?\\frac ?(?:\{(\d+)\}|(\d)) ?(?:\{(\d+)\}|(\d))/y;
const typedFraction = / (\d+)\/(\d+)/y;

/** A whole or decimal number, with or without a minus. Throws {@link Undecidable} for very long ones. */
export function wholeNode(digits: string): MathNode {
  const isNegative = digits.startsWith('-');
  const value = parseRatio(isNegative ? digits.slice(1) : digits);
  if (!value) throw new Undecidable('a number of very many digits');
  const node = numberNode(value, digits.includes('.'));
  return isNegative ? { kind: 'negative', of: node } : node;
}

/** A number with what belongs to it: repeating digits, its base, or a fraction that makes it a mixed number. */
export function readNumber(token: string, tokens: LatexTokens): MathNode {
  const repeating = tokens.takeMatch(repeatingDigits)?.[1];
  if (repeating !== undefined) return numberNode(repeatingDecimal(token, repeating));
  const whole = wholeNode(token);
  if (!/^\d+$/.test(token)) return whole;
  return withBase(whole, tokens) ?? mixed(whole, tokens);
}

/** A whole number in the base that follows it; undefined where none does. */
export function withBase(node: MathNode, tokens: LatexTokens): MathNode | undefined {
  if (node.kind !== 'number' || node.value.under !== 1n || node.isDecimal) return undefined;
  const [, bare, braced] = tokens.takeMatch(baseSubscript) ?? [];
  const base = Number(bare ?? braced ?? 0);
  return base < 2 ? undefined : { kind: 'based', digits: `${node.value.over}`, base };
}

/** `0.1\overline{6}` is 1/6. */
function repeatingDecimal(token: string, digits: string): Ratio {
  if (!token.includes('.')) throw new Undecidable('repeating digits of a whole number');
  const places = BigInt(token.length - 1 - token.indexOf('.'));
  const period = ratio(BigInt(digits), 10n ** places * (10n ** BigInt(digits.length) - 1n));
  const start = parseRatio(token);
  const sum = period && start && addRatios(start, period);
  if (!sum) throw new Undecidable('a number of very many digits');
  return sum;
}

/** `1\frac{4}{5}` and `1 4/5` are 1.8, while `2\frac{x}{3}` is a product. */
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

const emptySet: MathNode = { kind: 'letter', name: '\\emptyset' };
const realNumbers: MathNode = { kind: 'letter', name: '\\mathbbR' };

/** Words that stand for what has a sign of its own. */
const phrases: readonly (readonly [RegExp, MathNode])[] = [
  [
    /^(?:(?:there (?:is|are)|(?:the|this) (?:equation|system|inequality|problem) has) )?no solutions?(?: exists?)?$|^none$|^(?:the )?empty set$/,
    emptySet,
  ],
  [/^all real(?: number)?s$/, realNumbers],
  [/^infinity$/, { kind: 'constant', name: 'infinity' }],
  [/^dne$/, { kind: 'words', text: 'does not exist' }],
];

/** What words say: a number (`12`, `twenty`), a known phrase, or themselves. */
export function wordsNode(text: string): MathNode {
  const plain = text
    .toLowerCase()
    .replace(/[.!]+\s*$/, '')
    .trim();
  const known = phrases.find(([pattern]) => pattern.test(plain))?.[1];
  if (known) return known;
  const digits = /^\d+(?:\.\d+)?$/.test(text) ? parseRatio(text) : undefined;
  if (digits) return numberNode(digits, text.includes('.'));
  const words = plain.split(/[\s-]+/);
  const inWords = readNumberWords(words);
  const value = inWords?.words === words.length ? ratio(inWords.value) : undefined;
  return value ? numberNode(value) : { kind: 'words', text };
}
