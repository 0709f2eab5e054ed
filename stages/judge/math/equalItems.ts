import { holdsNumberWord } from '../../../schemas/words/numberWords.ts';
import { isExpression, type MathNode } from './mathNode.ts';
import { attempt, Undecidable } from './undecidable.ts';

/** Compares two answers. Throws {@link Undecidable} if undecided. */
export type Equal = (a: MathNode, b: MathNode) => boolean;

/** True if all pairs are equal. One different pair decides, even if others are undecided. */
export function allEqual(a: readonly MathNode[], b: readonly MathNode[], equal: Equal): boolean {
  if (a.length !== b.length) return false;
  const found = a.map((item, at) => attempt(() => equal(item, b[at]!)));
  if (found.includes(false)) return false;
  throwUndecided(found);
  return true;
}

/**
 * True if both sides state the same values, false if they share none. Throws {@link Undecidable} for contradictions,
 * such as `4=5` compared with 5.
 */
export function allAgree(a: readonly MathNode[], b: readonly MathNode[], equal: Equal): boolean {
  const found = a.flatMap((item) => b.map((other) => attempt(() => equal(item, other))));
  if (found.every((isEqual) => isEqual === true)) return true;
  if (found.includes(true)) throw new Undecidable('an answer that states different things');
  throwUndecided(found);
  return false;
}

/** True if both have the same items with the same multiplicity. */
export function equalInAnyOrder(a: readonly MathNode[], b: readonly MathNode[], equal: Equal): boolean {
  if (a.length !== b.length) return false;
  const left = [...b];
  return a.every((item) => {
    const at = indexOfEqual(item, left, equal);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** True when each item of `a` is among `b`. */
export function eachHasEqual(a: readonly MathNode[], b: readonly MathNode[], equal: Equal): boolean {
  return a.every((item) => indexOfEqual(item, b, equal) >= 0);
}

function indexOfEqual(item: MathNode, among: readonly MathNode[], equal: Equal): number {
  const found: (boolean | Undecidable)[] = [];
  for (const other of among) {
    const isEqual = attempt(() => equal(item, other));
    if (isEqual === true) return found.length;
    found.push(isEqual);
  }
  throwUndecided(found);
  return -1;
}

function throwUndecided(found: readonly (boolean | Undecidable)[]): void {
  const undecided = found.find((isEqual) => typeof isEqual !== 'boolean');
  if (undecided) throw undecided;
}

/**
 * Compares possible words: three letters may also be a product. `xyz` and `2xyz/2` are products; `xyz` and `zyx` are
 * undecided.
 */
export function equalWords(a: MathNode, b: MathNode, equal: Equal): boolean {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left !== undefined && left === right) return true;
  if (/\d/.test(`${left}${right}`) || isNumberInWords(a, b) || isNumberInWords(b, a)) {
    throw new Undecidable('words and numbers');
  }
  if ([a, b].some(isEmptySet) && [a, b].some(isDenial)) throw new Undecidable('words beside the empty set');
  const [x, y] = [asProduct(a), asProduct(b)];
  if (x === a && y === b) return false;
  if (!isExpression(x) || !isExpression(y) || !equal(x, y)) return false;
  if (a.kind !== 'words' || b.kind !== 'words') return true;
  throw new Undecidable('words or products of letters');
}

/** True for phrases such as `no real solution`, which may mean the empty set. */
function isDenial(node: MathNode): boolean {
  return node.kind === 'words' && /\b(?:no|not|never|impossible|undefined)\b/i.test(node.text);
}

/** `\emptyset` and its synonyms. */
export function isEmptySet(node: MathNode): boolean {
  return node.kind === 'letter' && node.name === '\\emptyset';
}

/** True for `a quarter of the way` compared with something other than words. */
function isNumberInWords(node: MathNode, other: MathNode): boolean {
  if (node.kind !== 'words' || other.kind === 'words' || !isExpression(other)) return false;
  return holdsNumberWord(node.text.toLowerCase().match(/\p{L}+/gu) ?? []);
}

function asProduct(node: MathNode): MathNode {
  if (node.kind !== 'words' || !/^[a-zA-Z]{3}$/.test(node.text)) return node;
  return { kind: 'product', factors: [...node.text].map((name) => ({ kind: 'letter', name })) };
}

/** Words of a node without case and punctuation; undefined for other mathematics. */
function wordsOf(node: MathNode): string | undefined {
  if (node.kind === 'words') return plainWords(node.text);
  if (node.kind === 'letter' || (node.kind === 'constant' && node.name.length === 1)) {
    return node.name.toLowerCase();
  }
  if (node.kind !== 'product') return undefined;
  const letters = node.factors.map(wordsOf);
  return letters.includes(undefined) ? undefined : letters.join('');
}

/** Letters and digits of words, without case, punctuation, spaces and a leading article; the sign of `A+` is kept. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/^\s*(?:an?|the)\s+(?=\p{L}{3})/u, '')
    .replace(/(?!(?<=\p{L})[+-]$)[^\p{L}\p{M}\p{N}]/gu, '');
}
