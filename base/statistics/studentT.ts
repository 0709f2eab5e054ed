import { incompleteBeta, whereReached } from './beta.ts';

/** Quantile of the standard normal distribution for 95% between minus and plus it. */
export const Z_95 = 1.959963984540054;

/** The probability that a number of Student's t distribution is below `t`, which is at least 0. */
function below(t: number, freedom: number): number {
  return 1 - incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/**
 * The number that one of Student's t distribution stays below with a probability: 2.045 for 0.975 and 29 degrees.
 *
 * @param probability above 0.5, below 1
 * @param freedom degrees of freedom, above 0
 */
export function studentTQuantile(probability: number, freedom: number): number {
  let high = 1;
  while (below(high, freedom) < probability) high *= 2;
  return whereReached((t) => below(t, freedom), probability, [0, high]);
}
