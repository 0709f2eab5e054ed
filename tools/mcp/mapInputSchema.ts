import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** Keywords of JSON Schema whose value is an object of schemas by names that are no keywords. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data, in which nothing is a keyword. */
const data = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);
/** Levels of a schema that are read. */
const MAX_LEVELS = 60;

/** What becomes of a keyword's value in a schema; `undefined` takes the keyword out. */
export type ReplaceValue = (keyword: string, value: JsonValue, schema: JsonObject) => JsonValue | undefined;

/**
 * A JSON Schema with the values of its keywords replaced, in all the schemas that it holds.
 *
 * @throws Error when the schema is nested deeper than 60 levels
 */
export function mapInputSchema(schema: JsonObject, replace: ReplaceValue): JsonObject {
  return mapSchema(schema, replace, 0) as JsonObject;
}

function mapSchema(schema: JsonValue, replace: ReplaceValue, level: number): JsonValue {
  if (level > MAX_LEVELS) throw new Error(`its input schema is nested deeper than ${MAX_LEVELS} levels`);
  if (Array.isArray(schema)) return schema.map((item) => mapSchema(item, replace, level + 1));
  if (!isJsonObject(schema)) return schema;
  return entriesMapped(schema, (keyword, given) => {
    const value = replace(keyword, given, schema);
    if (value === undefined || data.has(keyword)) return value;
    if (namedSchemas.has(keyword) && isJsonObject(value)) {
      return entriesMapped(value, (_name, named) => mapSchema(named, replace, level + 1));
    }
    return mapSchema(value, replace, level + 1);
  });
}

function entriesMapped(
  object: JsonObject,
  map: (key: string, value: JsonValue) => JsonValue | undefined,
): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]) => {
    const mapped = value === undefined ? undefined : map(key, value);
    return mapped === undefined ? [] : [[key, mapped] as const];
  });
  return Object.fromEntries(entries);
}
