import { type Ratio, ratio, ratioBits } from '../../../schemas/answers/ratio.ts';
import type { MathNode } from './mathNode.ts';
import {
  add,
  divide,
  exactValue,
  exponential,
  logarithm,
  type MathValue,
  multiply,
  negate,
  power,
  roundedValue,
  sizeOf,
  wholeValue,
} from './mathValue.ts';
import { NoValue, Undecidable, type WorkBudget } from './undecidable.ts';

/** What a letter stands for. */
export type LetterValues = (name: string) => MathValue;

/** Bits of a number whose arithmetic counts as a step; the cost grows with their square. */
const bitsPerStep = 200;

/**
 * Value of an expression. Throws `NoValue` if undefined, {@link Undecidable} for other nodes, such as sets or words,
 * and beyond the supported range.
 */
export function evaluate(node: MathNode, letters: LetterValues, work: WorkBudget): MathValue {
  return charged(computed(node, letters, work), work);
}

function charged(value: MathValue, work: WorkBudget): MathValue {
  work.spend(1 + (value.exact ? Math.floor((ratioBits(value.exact) / bitsPerStep) ** 2) : 0));
  return value;
}

function computed(node: MathNode, letters: LetterValues, work: WorkBudget): MathValue {
  const of = (child: MathNode) => evaluate(child, letters, work);
  switch (node.kind) {
    case 'number':
      return exactValue(node.value);
    case 'based':
      return exactValue(basedRatio(node.digits, node.base));
    case 'letter':
      return letters(node.name);
    case 'constant':
      return constantValue(node.name);
    case 'sum':
      return node.terms.map(of).reduce((sum, term) => charged(add(sum, term), work));
    case 'product':
      return node.factors.map(of).reduce((product, factor) => charged(multiply(product, factor), work));
    case 'quotient':
      return divide(of(node.over), of(node.under));
    case 'power':
      return power(of(node.base), of(node.exponent));
    case 'negative':
      return negate(of(node.of));
    case 'apply':
      return mathFunctions[node.name]!(...node.args.map(of));
    default:
      throw new Undecidable(`arithmetic with a ${node.kind}`);
  }
}

function constantValue(name: 'pi' | 'e' | 'i' | 'infinity'): MathValue {
  if (name === 'infinity') throw new Undecidable('arithmetic with infinity');
  if (name === 'i') return { re: 0, im: 1, error: 0 };
  return roundedValue(name === 'pi' ? Math.PI : Math.E);
}

function basedRatio(digits: string, base: number): Ratio {
  if ([...digits].some((digit) => Number(digit) >= base))
    throw new Undecidable(`a digit beyond base ${base}`);
  const value = [...digits].reduce((sum, digit) => sum * BigInt(base) + BigInt(digit), 0n);
  const exact = ratio(value);
  if (!exact) throw new Undecidable('a number beyond the range of doubles');
  return exact;
}

type Evaluate = (...args: MathValue[]) => MathValue;

/** A real function with its derivative, for error propagation. */
function realFunction(of: (x: number) => number, slope: (x: number) => number): Evaluate {
  return (x) => {
    const at = realPart(x!);
    const result = of(at);
    if (Number.isNaN(result)) throw new NoValue('a function outside of where it is defined');
    return roundedValue(result, 0, x!.error === 0 ? 0 : Math.abs(slope(at)) * x!.error);
  };
}

const half = exactValue(ratio(1n, 2n)!);
const sine = realFunction(Math.sin, Math.cos);
const cosine = realFunction(Math.cos, Math.sin);
const hyperbolicSine = realFunction(Math.sinh, Math.cosh);
const hyperbolicCosine = realFunction(Math.cosh, Math.sinh);

/** Functions by name; `arity` is 1 except for `log` to a base, `root` and `binom`. */
const mathFunctions: Readonly<Record<string, Evaluate>> = {
  sin: sine,
  cos: cosine,
  tan: (x) => divide(sine(x!), cosine(x!)),
  cot: (x) => divide(cosine(x!), sine(x!)),
  sec: (x) => divide(wholeValue(1), cosine(x!)),
  csc: (x) => divide(wholeValue(1), sine(x!)),
  sinh: hyperbolicSine,
  cosh: hyperbolicCosine,
  tanh: (x) => divide(hyperbolicSine(x!), hyperbolicCosine(x!)),
  arcsin: realFunction(Math.asin, (x) => 1 / Math.sqrt(1 - x * x)),
  arccos: realFunction(Math.acos, (x) => 1 / Math.sqrt(1 - x * x)),
  arctan: realFunction(Math.atan, (x) => 1 / (1 + x * x)),
  ln: (x) => logarithm(x!),
  exp: (x) => exponential(x!),
  log: (base, x) => divide(logarithm(x!), logarithm(base!)),
  root: (degree, x) => power(x!, divide(wholeValue(1), degree!)),
  sqrt: (x) => power(x!, half),
  abs: (x) => absolute(x!),
  floor: (x) => wholeBeside(x!, Math.floor),
  ceil: (x) => wholeBeside(x!, Math.ceil),
  factorial: (x) => factorial(wholeOf(x!)),
  binom: (n, k) => binomial(wholeOf(n!), wholeOf(k!)),
};

function realPart({ re, im, error }: MathValue): number {
  if (Math.abs(im) > error) throw new Undecidable('a real function of a complex number');
  return re;
}

function absolute(x: MathValue): MathValue {
  if (!x.exact) return roundedValue(sizeOf(x), 0, x.error);
  return x.exact.over < 0n ? exactValue({ over: -x.exact.over, under: x.exact.under }) : x;
}

function wholeBeside(x: MathValue, round: (x: number) => number): MathValue {
  if (x.exact?.under === 1n) return x;
  const at = realPart(x);
  if (round(at - x.error) !== round(at + x.error)) throw new Undecidable('rounding of what may be whole');
  return wholeValue(round(at));
}

function wholeOf(x: MathValue): bigint {
  if (x.exact?.under !== 1n) throw new Undecidable('a factorial of what is not whole');
  return x.exact.over;
}

function factorial(of: bigint): MathValue {
  if (of < 0n) throw new NoValue('the factorial of a negative number');
  if (of > 170n) throw new Undecidable('a factorial beyond the range of doubles');
  let product = 1n;
  for (let factor = 2n; factor <= of; factor++) product *= factor;
  return wholeValue(product);
}

function binomial(n: bigint, k: bigint): MathValue {
  if (k < 0n || n < k) return wholeValue(0);
  const steps = k * 2n > n ? n - k : k;
  if (steps > 500n) throw new Undecidable('a binomial coefficient of many factors');
  let result = 1n;
  for (let step = 1n; step <= steps; step++) result = (result * (n - steps + step)) / step;
  const exact = ratio(result);
  if (!exact) throw new Undecidable('a binomial coefficient beyond the range of doubles');
  return exactValue(exact);
}
