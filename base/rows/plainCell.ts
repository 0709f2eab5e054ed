import type { JsonValue } from '../json.ts';

/**
 * Cell of a parquet or Arrow file as JSON: integers beyond a double, numbers that JSON lacks and times become text,
 * bytes become base64.
 */
export function plainCell(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(plainCell);
  if (value instanceof Date) return dateText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, plainCell);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainCell(member)]));
}

/** ISO 8601 date; `Invalid Date` outside JavaScript's range, which file columns may exceed. */
export function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? String(date) : date.toISOString();
}
