const whole = new Intl.NumberFormat('en-US');

export function count(value: number): string {
  return whole.format(value);
}

/** Dollars with two decimals, four below ten cents. */
export function dollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
}

/** A share between 0 and 1 as percent without the sign: `55.3`. */
export function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** A reason code in words: `wrong_answer` becomes `wrong answer`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

/** Smallest of 1, 2, 5, 10, 20, ... that is at least the given width, for histogram bins. */
export function roundWidth(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((step) => step * power).find((width) => width >= least) ?? power * 10;
}

/** An expected value with its bounds, such as `about 20 (15 to 34)`. */
export function formatInterval(
  { low, expected, high }: { readonly low: number; readonly expected: number; readonly high: number },
  format: (value: number) => string = (value) => count(Math.round(value)),
): string {
  return `about ${format(expected)} (${format(low)} to ${format(high)})`;
}
