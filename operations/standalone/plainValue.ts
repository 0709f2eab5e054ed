import { dateText } from '../../base/dateText.ts';
import type { JsonValue } from '../../base/json.ts';

/** A value that a parquet reader gives, as JSON would have it: whole numbers of 64 bits as numbers, times as text. */
export function plainValue(value: unknown): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value as JsonValue;
  if (value instanceof Date) return dateText(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array, plainValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainValue(member)]));
}
