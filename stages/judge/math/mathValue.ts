import {
  addRatios,
  divideRatios,
  multiplyRatios,
  type Ratio,
  ratio,
  ratioPower,
  ratioRoot,
  ratioToNumber,
} from '../../../schemas/answers/ratio.ts';
import { NoValue, Undecidable } from './undecidable.ts';

/** A complex number in doubles with an error bound, and an exact value if rational. */
export interface MathValue {
  readonly re: number;
  readonly im: number;
  /** Maximum distance from the true value. */
  readonly error: number;
  readonly exact?: Ratio | undefined;
}

/** Relative error added by one operation on doubles; library functions are this precise. */
const rounding = 2 ** -51;

/** A rational number; integers are doubles without an error. */
export function exactValue(exact: Ratio): MathValue {
  const re = ratioToNumber(exact);
  const isDouble = exact.under === 1n && Math.abs(re) <= Number.MAX_SAFE_INTEGER;
  return checked({ re, im: 0, error: isDouble ? 0 : Math.abs(re) * rounding, exact });
}

/** The value of a small whole number. */
export function wholeValue(whole: number | bigint): MathValue {
  return exactValue(ratio(BigInt(whole))!);
}

/** A value with rounding error, or `error` more. */
export function roundedValue(re: number, im = 0, error = 0): MathValue {
  return checked({ re, im, error: error + Math.hypot(re, im) * rounding });
}

/** Absolute value. */
export function sizeOf({ re, im }: MathValue): number {
  return Math.hypot(re, im);
}

/** True for 0 and for values within rounding of it. */
export function isZero(value: MathValue): boolean {
  return value.exact ? value.exact.over === 0n : sizeOf(value) <= value.error;
}

export function add(a: MathValue, b: MathValue): MathValue {
  const exact = a.exact && b.exact && addRatios(a.exact, b.exact);
  return exact ? exactValue(exact) : roundedValue(a.re + b.re, a.im + b.im, a.error + b.error);
}

/** The value with the other sign. */
export function negate(a: MathValue): MathValue {
  const exact = a.exact && { over: -a.exact.over, under: a.exact.under };
  return { re: 0 - a.re, im: 0 - a.im, error: a.error, exact };
}

export function multiply(a: MathValue, b: MathValue): MathValue {
  const exact = a.exact && b.exact && multiplyRatios(a.exact, b.exact);
  if (exact) return exactValue(exact);
  const error = sizeOf(a) * b.error + sizeOf(b) * a.error + a.error * b.error;
  return roundedValue(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, error);
}

/** Throws {@link NoValue} when `b` is 0. */
export function divide(a: MathValue, b: MathValue): MathValue {
  if (b.exact?.over === 0n) throw new NoValue('a division by 0');
  const exact = a.exact && b.exact && divideRatios(a.exact, b.exact);
  if (exact) return exactValue(exact);
  const size = sizeOf(b);
  if (size <= b.error) throw new Undecidable('a division by what may be 0');
  const [re, im] = [b.re / size / size, (0 - b.im) / size / size];
  const least = size - b.error;
  const error = (a.error + (sizeOf(a) / size) * b.error) / least;
  return roundedValue(a.re * re - a.im * im, a.re * im + a.im * re, error);
}

/** Principal value; for a negative base and a fraction with an odd denominator, the real one. */
export function power(base: MathValue, exponent: MathValue): MathValue {
  const exact = exponent.exact && exactPower(base, exponent.exact);
  if (exact) return exact;
  if (base.exact?.over === 0n) return powerOfZero(exponent);
  if (exponent.exact?.under === 1n && Math.abs(exponent.re) <= 64) return wholePower(base, exponent.re);
  if (isZero(base)) return powerOfNearZero(base, exponent);
  if (base.im === 0 && base.re < 0 && exponent.exact && exponent.exact.under % 2n === 1n) {
    const size = exponential(multiply(exponent, logarithm(negate(base))));
    return exponent.exact.over % 2n === 0n ? size : negate(size);
  }
  return exponential(multiply(exponent, logarithm(base)));
}

function powerOfZero(exponent: MathValue): MathValue {
  if (exponent.re > exponent.error) return wholeValue(0);
  throw new NoValue('a power of 0');
}

function powerOfNearZero(base: MathValue, exponent: MathValue): MathValue {
  if (exponent.re <= exponent.error) throw new Undecidable('a power of what may be 0');
  return roundedValue(0, 0, (sizeOf(base) + base.error) ** exponent.re);
}

function exactPower({ exact: base }: MathValue, exponent: Ratio): MathValue | undefined {
  if (!base) return undefined;
  const isNegativeRoot = base.over < 0n && exponent.under % 2n === 1n;
  const root = ratioRoot(isNegativeRoot ? { over: -base.over, under: base.under } : base, exponent.under);
  const signed = exponent.under === 1n ? base : root;
  if (!signed) return undefined;
  const of = isNegativeRoot && exponent.under > 1n ? { over: -signed.over, under: signed.under } : signed;
  const result = ratioPower(of, exponent.over);
  return result && exactValue(result);
}

/** Repeated multiplication, which keeps real numbers real and errors small. */
function wholePower(base: MathValue, exponent: number): MathValue {
  let result = wholeValue(1);
  for (let step = 0; step < Math.abs(exponent); step++) result = multiply(result, base);
  return exponent < 0 ? divide(wholeValue(1), result) : result;
}

/** e to a power. Throws {@link Undecidable} beyond the range of doubles. */
export function exponential(a: MathValue): MathValue {
  const size = Math.exp(a.re);
  if (size === 0) throw new Undecidable('a number below the range of doubles');
  // The error of the exponent becomes a relative one.
  return roundedValue(size * Math.cos(a.im), size * Math.sin(a.im), size * Math.expm1(a.error + rounding));
}

/** Principal natural logarithm. Throws {@link NoValue} for 0. */
export function logarithm(a: MathValue): MathValue {
  if (a.exact?.over === 0n) throw new NoValue('the logarithm of 0');
  const size = sizeOf(a);
  if (size <= a.error) throw new Undecidable('the logarithm of what may be 0');
  return roundedValue(Math.log(size), Math.atan2(a.im, a.re), a.error / (size - a.error));
}

/** Rejects values outside the range of doubles, 1.8e308 to 4.9e-324. */
function checked(value: MathValue): MathValue {
  if (Number.isFinite(value.re) && Number.isFinite(value.im) && Number.isFinite(value.error)) {
    const isLost = value.re === 0 && value.im === 0 && value.exact !== undefined && value.exact.over !== 0n;
    if (!isLost) return value;
  }
  throw new Undecidable('a number beyond the range of doubles');
}
