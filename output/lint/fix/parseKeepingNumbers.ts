import { type JsonValue, parseJson } from '../../../base/json.ts';

/** In Node since 22; not yet in TypeScript's library. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): JsonValue };

/**
 * Parses JSON so that writing it again keeps every number as it was spelt: `1.0`, `1e3` and integers that a double
 * would round. Throws `SyntaxError`.
 */
export function parseKeepingNumbers(text: string): JsonValue {
  return parseJson(text, { reviver: keepSpelling });
}

function keepSpelling(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;
}
