import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../base/json.ts';

/**
 * Value at a dotted path: `extra_info.index`. A number indexes a list, a negative one from its end; a text with a
 * JSON object is traversed like the object. A column with dots in its name has precedence.
 */
export function valueAt(row: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(row, path)) return row[path];
  return path.split('.').reduce<JsonValue | undefined>(member, row);
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^-?\d+$/.test(name) ? value.at(Number(name)) : undefined;
  const object = typeof value === 'string' ? objectIn(value) : value;
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

function objectIn(text: string): JsonValue | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const parsed = safeParseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Row without the value at a path; lists and JSON texts on the way are removed whole, and so are emptied objects. */
export function withoutPath(row: JsonObject, path: string): JsonObject {
  const [name = '', ...rest] = Object.hasOwn(row, path) ? [path] : path.split('.');
  if (!Object.hasOwn(row, name)) return row;
  const { [name]: inner, ...others } = row;
  if (rest.length === 0 || !isJsonObject(inner)) return others;
  const left = withoutPath(inner, rest.join('.'));
  return Object.keys(left).length === 0 ? others : { ...row, [name]: left };
}
