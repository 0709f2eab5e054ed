/** A rational number in lowest terms; `under` is positive. */
export interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/** Maximum size; longer numbers are kept only as doubles. 170! has 1,019 bits. */
const MAX_BITS = 1_200;
const bound = 1n << BigInt(MAX_BITS);

/** Quotient of two integers; undefined if it is too long, or `under` is 0. */
export function ratio(over: bigint, under = 1n): Ratio | undefined {
  if (under === 0n || isLong(over) || isLong(under)) return undefined;
  const shared = greatestDivisor(over < 0n ? -over : over, under < 0n ? -under : under);
  const sign = under < 0n ? -1n : 1n;
  return { over: (sign * over) / shared, under: (sign * under) / shared };
}

/** Parses `12`, `.5` or `3.25`. Undefined if too long. */
export function parseRatio(decimal: string): Ratio | undefined {
  const [whole = '', fraction = ''] = decimal.split('.');
  // 600 digits exceed the bound.
  return decimal.length > 600 ? undefined : ratio(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

export function addRatios(a: Ratio, b: Ratio): Ratio | undefined {
  return ratio(a.over * b.under + b.over * a.under, a.under * b.under);
}

export function multiplyRatios(a: Ratio, b: Ratio): Ratio | undefined {
  return ratio(a.over * b.over, a.under * b.under);
}

/** Quotient; undefined if it is too long, or `b` is 0. */
export function divideRatios(a: Ratio, b: Ratio): Ratio | undefined {
  return ratio(a.over * b.under, a.under * b.over);
}

/** `base` to an integer power; undefined if the result is too long, or is 1/0. */
export function ratioPower(base: Ratio, exponent: bigint): Ratio | undefined {
  const size = exponent < 0n ? -exponent : exponent;
  if (size * BigInt(Math.max(bitsOf(base.over), bitsOf(base.under)) - 1) > MAX_BITS) return undefined;
  if (size > MAX_BITS && !isUnit(base)) return undefined;
  const steps = isUnit(base) ? size % 2n : size;
  const [over, under] = [base.over ** steps, base.under ** steps];
  if (base.over === 0n && size > 0n) return exponent < 0n ? undefined : base;
  return exponent < 0n ? ratio(under, over) : ratio(over, under);
}

/** Exact root of a rational number; undefined if it is not a perfect power. */
export function ratioRoot(of: Ratio, degree: bigint): Ratio | undefined {
  if (of.over < 0n || degree < 1n || degree > 64n) return undefined;
  const [over, under] = [wholeRoot(of.over, degree), wholeRoot(of.under, degree)];
  return over === undefined || under === undefined ? undefined : ratio(over, under);
}

/** Nearest double, infinite beyond its range. */
export function ratioToNumber({ over, under }: Ratio): number {
  const shift = bitsOf(over) - bitsOf(under) - 64;
  const scaled = shift < 0 ? (over << BigInt(-shift)) / under : over / (under << BigInt(shift));
  return Number(scaled) * 2 ** shift;
}

/** Bits of the longer of its two integers. */
export function ratioBits({ over, under }: Ratio): number {
  return Math.max(bitsOf(over), bitsOf(under));
}

function isUnit({ over, under }: Ratio): boolean {
  return under === 1n && over >= -1n && over <= 1n;
}

function isLong(whole: bigint): boolean {
  return whole >= bound || whole <= -bound;
}

function bitsOf(whole: bigint): number {
  return (whole < 0n ? -whole : whole).toString(2).length;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** Newton's method from above. */
function wholeRoot(of: bigint, degree: bigint): bigint | undefined {
  if (of < 2n) return of;
  let root = 1n << (BigInt(bitsOf(of)) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * root + of / root ** (degree - 1n)) / degree;
    if (next >= root) break;
    root = next;
  }
  return root ** degree === of ? root : undefined;
}
