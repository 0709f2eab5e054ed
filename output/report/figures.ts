const whole = new Intl.NumberFormat('en-US');
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** A whole number with thousands marks. */
export function count(value: number): string {
  return whole.format(value);
}

/** A share between 0 and 1 in per cent; a dash where there is nothing to share. */
export function share(part: number, total: number): string {
  return total === 0 ? '–' : percent.format(part / total);
}

/** Dollars: two digits after the point, four below ten cents. */
export function dollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
}

/** The number that half of the values don't exceed; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Sum over a list. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A reason code in words: `wrong_answer` becomes `wrong answer`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}
