import { type Comparison, noLetters, valuesEqual } from './equalExpressions.ts';
import { evaluate } from './evaluate.ts';
import { lettersOf, type MathNode, negativeNode } from './mathNode.ts';
import type { MathValue } from './mathValue.ts';
import { Undecidable } from './undecidable.ts';

/**
 * A set of real numbers by its limits: the numbers between neighbouring limits are all in or all out. Places
 * alternate between gaps and limits: 0 is the gap below the first limit, 1 the first limit, 2 the gap above it.
 */
type Contains = (place: number) => boolean;

/** Infinite limits lie outside of all others. */
type Limit = MathValue | 'below' | 'above';

type Located = (limit: Limit) => number;

const operators: Readonly<Record<string, (at: number, limit: number) => boolean>> = {
  '=': (at, limit) => at === limit,
  '<': (at, limit) => at < limit,
  '>': (at, limit) => at > limit,
  '\\le': (at, limit) => at <= limit,
  '\\ge': (at, limit) => at >= limit,
  '\\ne': (at, limit) => at !== limit,
};

const flipped: Readonly<Record<string, string>> = { '<': '>', '>': '<', '\\le': '\\ge', '\\ge': '\\le' };

/** True if two answers are the same set of real numbers. Throws {@link Undecidable} if one is not such a set. */
export function equalRealSets(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  const limits: MathValue[] = [];
  const collect: Located = (limit) => {
    if (typeof limit !== 'string') limits.push(limit);
    return 0;
  };
  readSet(a, comparison, collect);
  readSet(b, comparison, collect);
  const equal = valuesEqual([a, b], comparison.tolerance);
  const sorted = distinct(limits, equal);
  comparison.work.spend(limits.length * sorted.length);
  const locate: Located = (limit) => {
    if (typeof limit === 'string') return limit === 'below' ? -1 : 2 * sorted.length + 1;
    return 2 * sorted.findIndex((other) => equal(other, limit)) + 1;
  };
  const [left, right] = [readSet(a, comparison, locate), readSet(b, comparison, locate)];
  for (let place = 0; place <= 2 * sorted.length; place++) if (left(place) !== right(place)) return false;
  return true;
}

function distinct(limits: readonly MathValue[], equal: (x: MathValue, y: MathValue) => boolean): MathValue[] {
  const sorted = [...limits].sort((x, y) => x.re - y.re);
  return sorted.filter((limit, at) => at === 0 || !equal(sorted[at - 1]!, limit));
}

function readSet(node: MathNode, comparison: Comparison, locate: Located): Contains {
  const read = (item: MathNode) => readSet(item, comparison, locate);
  const placeOf = (limit: MathNode) => locate(limitOf(limit, comparison));
  switch (node.kind) {
    case 'tuple':
      return interval(node.brackets, node.items.map(placeOf));
    case 'set':
    case 'list':
      return anyOf(node.items.map(read));
    case 'sets':
      return combined(node.operator, node.items.map(read));
    case 'relation': {
      if (isMembership(node)) return read(node.sides[1]!);
      const range = distanceRange(node);
      return range ? read(range) : related(node, placeOf);
    }
    case 'letter':
      if (node.name === '\\emptyset') return () => false;
      if (node.name === '\\mathbbR') return () => true;
      throw new Undecidable(`${node.name} is not a set of real numbers`);
    default: {
      const at = placeOf(node);
      return (place) => place === at;
    }
  }
}

function anyOf(sets: readonly Contains[]): Contains {
  return (place) => sets.some((contains) => contains(place));
}

function combined(operator: string, sets: readonly Contains[]): Contains {
  if (operator === '\\cup') return anyOf(sets);
  if (operator === '\\cap') return (place) => sets.every((contains) => contains(place));
  const [from, ...without] = sets;
  const removed = anyOf(without);
  return (place) => from!(place) && !removed(place);
}

function interval([open, close]: string, limits: readonly number[]): Contains {
  if (limits.length !== 2) throw new Undecidable('a tuple is not a set of real numbers');
  const [from, to] = limits as [number, number];
  return (place) =>
    (open === '[' ? place >= from : place > from) && (close === ']' ? place <= to : place < to);
}

type Relation = Extract<MathNode, { readonly kind: 'relation' }>;

/** `x \in [1,2]`. */
function isMembership({ operators: signs, sides }: Relation): boolean {
  return signs[0] === '\\in' && sides[0]!.kind === 'letter' && sides.length === 2;
}

/** Reads `|x-2| < 3` as `-3+2 < x < 3+2`, and `|x| > 3` as a union; undefined for other relations. */
export function distanceRange({ operators: signs, sides }: Relation): MathNode | undefined {
  const at = sides.findIndex((side) => side.kind === 'apply' && side.name === 'abs');
  const [distance, limit] = [sides[at], sides[1 - at]];
  const sign = at === 0 ? signs[0]! : flipped[signs[0]!];
  if (distance?.kind !== 'apply' || !limit || sides.length !== 2 || lettersOf(limit).size > 0)
    return undefined;
  const shifted = shiftedLetter(distance.args[0]!);
  if (!shifted || sign === undefined || !Object.hasOwn(flipped, sign)) return undefined;
  const { letter, shift } = shifted;
  const [from, to] = [negativeNode(limit), limit].map(
    (end): MathNode => (shift.length === 0 ? end : { kind: 'sum', terms: [end, ...shift] }),
  ) as [MathNode, MathNode];
  if (/^(?:<|\\le)$/.test(sign)) {
    return { kind: 'relation', operators: [sign, sign], sides: [from, letter, to] };
  }
  const beyond = (operator: string, end: MathNode): MathNode => ({
    kind: 'relation',
    operators: [operator],
    sides: [letter, end],
  });
  return { kind: 'sets', operator: '\\cup', items: [beyond(flipped[sign]!, from), beyond(sign, to)] };
}

/** A letter minus the sum of a shift, or its negative. */
function shiftedLetter(node: MathNode): { letter: MathNode; shift: readonly MathNode[] } | undefined {
  const terms = node.kind === 'sum' ? node.terms : [node];
  const [term, ...others] = terms.filter((part) => lettersOf(part).size > 0);
  const rest = terms.filter((part) => part !== term);
  if (!term || others.length > 0) return undefined;
  if (term.kind === 'letter') return { letter: term, shift: rest.map(negativeNode) };
  return term.kind === 'negative' && term.of.kind === 'letter' ? { letter: term.of, shift: rest } : undefined;
}

/** Set of `x > 2`, `1 < x \le 3`, `x \ne 5`: every side except the letter is a number. */
function related({ operators: signs, sides }: Relation, placeOf: (side: MathNode) => number): Contains {
  const letterAt = sides.findIndex((side) => side.kind === 'letter');
  if (letterAt < 0) throw new Undecidable('a relation without a letter on one side');
  const tests = signs.map((sign, at) => {
    if (at !== letterAt && at !== letterAt - 1) throw new Undecidable('a long chain of relations');
    const limit = placeOf(sides[at === letterAt ? at + 1 : at]!);
    const test = operators[at === letterAt ? sign : (flipped[sign] ?? sign)];
    if (!test) throw new Undecidable(`${sign} in a chain`);
    return (place: number) => test(place, limit);
  });
  return (place) => tests.every((test) => test(place));
}

function limitOf(node: MathNode, { work }: Comparison): Limit {
  const sign = infinitySign(node);
  if (sign !== 0) return sign < 0 ? 'below' : 'above';
  if (lettersOf(node).size > 0) throw new Undecidable('a limit with letters in it');
  const value = evaluate(node, noLetters, work);
  if (Math.abs(value.im) > value.error) throw new Undecidable('a complex limit');
  return value;
}

/** 1 and -1 for `\infty` and `-\infty`, otherwise 0. */
export function infinitySign(node: MathNode): -1 | 0 | 1 {
  if (node.kind === 'constant' && node.name === 'infinity') return 1;
  return node.kind === 'negative' && infinitySign(node.of) === 1 ? -1 : 0;
}
