import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { parseYaml } from './configDocument.ts';

/** Names that would pollute prototypes. */
const refusedKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Applies `--set` pairs to a configuration.
 *
 * @param pairs `filters.complexity.min=7` each: keys separated by dots, numbers as list indexes, and a YAML value
 * @throws UserError for a pair without `=`, an invalid YAML value, and a key below a scalar
 */
export function setConfigValues(value: unknown, pairs: readonly string[]): JsonObject {
  let changed: JsonObject = isJsonObject(value) ? value : {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const keys = pair.slice(0, at).split('.');
    if (at < 1 || keys.some((key) => key === '' || refusedKeys.includes(key))) {
      throw new UserError(
        `--set: expected key=value such as filters.max_redundant_tool_inputs=1, got "${pair}"`,
      );
    }
    changed = withValue(changed, keys, yamlValue(pair.slice(at + 1), pair), pair) as JsonObject;
  }
  return changed;
}

function withValue(
  target: JsonValue | undefined,
  [key = '', ...rest]: readonly string[],
  value: JsonValue,
  pair: string,
): JsonValue {
  if (Array.isArray(target)) {
    const place = Number(key);
    if (!/^\d+$/.test(key) || place > target.length)
      throw new UserError(
        `--set ${pair}: expected a place from 0 to ${target.length} in a list, got "${key}"`,
      );
    const before = target as readonly JsonValue[];
    const list = [...before];
    list[place] = rest.length === 0 ? value : withValue(before[place], rest, value, pair);
    return list;
  }
  if (target !== undefined && target !== null && !isJsonObject(target))
    throw new UserError(`--set ${pair}: there is no key "${key}" below ${JSON.stringify(target)}`);
  const before = isJsonObject(target) ? target : {};
  return { ...before, [key]: rest.length === 0 ? value : withValue(before[key], rest, value, pair) };
}

function yamlValue(text: string, pair: string): JsonValue {
  try {
    return parseYaml(text);
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw new UserError(`--set ${pair}: the value is not valid YAML (${first}); put it in quotes`, {
      cause: error,
    });
  }
}
