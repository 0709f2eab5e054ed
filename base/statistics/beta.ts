/** Coefficients of Lanczos' series for g = 7, n = 9 (as in Numerical Recipes, 3rd edition, 6.1). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const [first, ...rest] = LANCZOS as readonly [number, ...number[]];
  const sum = rest.reduce((at, factor, place) => at + factor / (x + place), first);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/**
 * The regularised incomplete beta function I_x(a, b), by Lentz' continued fraction (Numerical Recipes, 3rd edition,
 * 6.4): 0 to 1 for x from 0 to 1. Its limits for a or b of 0: 1 and 0.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (a <= 0 || b <= 0) return a <= 0 ? 1 : 0;
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast on this side only.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  return front * betaFraction(x, a, b);
}

const TINY = 1e-300;
const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/** Argument at which a function that rises from `low` to `high` reaches a value, by bisection to the last digit. */
export function whereReached(
  rising: (x: number) => number,
  value: number,
  [from, to]: readonly [number, number],
): number {
  let [low, high] = [from, to];
  while (high - low > 1e-15 * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (rising(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Standard normal quantile for a two-sided 95% interval. */
export const Z_95 = 1.959963984540054;

/** Probability that a Student's t variable is below `t`, which is at least 0. */
function below(t: number, freedom: number): number {
  return 1 - incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/**
 * Quantile of Student's t distribution: 2.045 for 0.975 and 29 degrees.
 * @param probability above 0.5, below 1
 * @param freedom degrees of freedom, above 0
 */
export function studentTQuantile(probability: number, freedom: number): number {
  let high = 1;
  while (below(high, freedom) < probability) high *= 2;
  return whereReached((t) => below(t, freedom), probability, [0, high]);
}
