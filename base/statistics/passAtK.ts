/**
 * The probability that at least one of k samples of a task is right, from c right ones of n, unbiased:
 * 1 - C(n-c, k) / C(n, k) (arXiv 2107.03374).
 *
 * @returns undefined where fewer than k samples are scored
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : 1 - drawn(n, n - c, k);
}

/** The probability that all of k samples of a task are right, unbiased: C(c, k) / C(n, k); undefined as for {@link passAtK}. */
export function passPowerK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : drawn(n, c, k);
}

/** The probability that k of n, drawn without putting back, are all among `of` certain ones. */
function drawn(n: number, of: number, k: number): number {
  let share = 1;
  for (let at = 0; at < k; at++) share *= Math.max(0, of - at) / (n - at);
  return share;
}
