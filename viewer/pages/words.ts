const whole = new Intl.NumberFormat('en-US');

/** A whole number with thousands marks. */
export function count(value: number): string {
  return whole.format(value);
}

/** A number with its noun: `1 row`, `2 rows`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A reason code in words: `wrong_answer` becomes `wrong answer`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

/** Dollars: two digits after the point, four below ten cents. */
export function dollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
}

/** How long something took: `420 ms`, `3.2 s`, `5 min`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, counted from now. */
export function ago(atMs: number): string {
  return `${duration(Math.max(1_000, Date.now() - atMs))} ago`;
}

/** A time of a record, to the minute. */
export function moment(iso: string): string {
  return iso.replace(/^(.*)T(\d+:\d+).*$/, '$1 $2 UTC');
}
