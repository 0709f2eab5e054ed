import { z } from 'zod';

/** Any value that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys on disk are snake_case. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Accepts any JSON object as it is. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(
  z.string(),
  z.json(),
) as z.ZodType<JsonObject>;

/** Accepts any JSON value as it is. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;

/** What {@link safeParseJson} gives back: the value, or why the text is not JSON. */
export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly error: string };

/** Parses JSON text without throwing. */
export function safeParseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** True when the value is a JSON object, not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
