import { z } from 'zod';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys on disk are snake_case. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * Accepts any JSON object unchanged. `z.json()` and `z.record()` copy it without a key called `__proto__`: a cached
 * answer would differ from the endpoint's.
 */
export const jsonObjectSchema: z.ZodType<JsonObject> = z
  .custom<JsonObject>((value) => isJsonObject(value) && isJson(value), 'expected a JSON object')
  .meta({ type: 'object', additionalProperties: {} });

/** Accepts any JSON value unchanged. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.custom<JsonValue>(
  (value) => isJson(value),
  'expected a JSON value',
);

/** Result of {@link safeParseJson}: the value, or the reason why the text is not JSON. */
export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly error: string };

/**
 * Maximum nesting of external values. Real ones have about ten levels; recursion over some thousand overflows the
 * stack.
 */
const MAX_LEVELS = 200;

/** Maximum nesting of our own files, which contain external values. */
export const storedLevels = 1_000;

/**
 * Parses JSON text.
 *
 * @param reviver as that of `JSON.parse`
 * @throws SyntaxError for text that is not JSON, or is nested deeper than `levels`
 */
export function parseJson(
  text: string,
  { reviver, levels = MAX_LEVELS }: { readonly reviver?: Reviver; readonly levels?: number } = {},
): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (text.length > levels) assertLevels(value, levels);
  return reviver ? (JSON.parse(text, reviver) as JsonValue) : value;
}

/** Callback of `JSON.parse` for each value; `source` is the text of a number. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses JSON text without throwing; otherwise as {@link parseJson}. */
export function safeParseJson(text: string, levels = MAX_LEVELS): ParsedJson {
  try {
    return { ok: true, value: parseJson(text, { levels }) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

export function jsonValueOf(text: string, levels = MAX_LEVELS): JsonValue | undefined {
  const parsed = safeParseJson(text, levels);
  return parsed.ok ? parsed.value : undefined;
}

/** Throws `SyntaxError` for a value nested too deeply; cyclic values count as such. */
export function assertLevels(value: unknown, levels = MAX_LEVELS): void {
  if (isDeeper(value, levels)) throw new SyntaxError(`nested deeper than ${levels} levels`);
}

/** True when the value is a JSON object, not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rejects deeper values, so that a cyclic one terminates. */
function isJson(value: unknown, levels = storedLevels): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, levels - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJson(item, levels - 1));
}

/** True if a JSON value is nested deeper than `levels`; never looks deeper than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
