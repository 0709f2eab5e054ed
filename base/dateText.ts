/** A date in ISO 8601; `Invalid Date` where it lies outside what JavaScript can hold, as columns of files may say. */
export function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? String(date) : date.toISOString();
}
