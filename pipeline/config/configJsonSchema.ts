import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { configSchema } from '../../schemas/config/config.ts';

/** The JSON Schema of `coa.yaml`, for completion and checks in editors. Keys with a default are optional. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input', override: withoutMeaning }) as JsonObject;
  return { ...schema, title: 'coa-distill configuration' };
}

/** What keys say of themselves for our own use is no JSON Schema. */
function withoutMeaning({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  for (const key of ['shapes', 'unsaid', 'presence', 'names', 'path', 'secret']) delete jsonSchema[key];
}

/** The keys that an object at a path of the configuration may have; none when it may have any, or is no object. */
export function knownKeysAt(path: readonly PropertyKey[]): string[] {
  let schema: JsonValue | undefined = configJsonSchema();
  for (const key of path) schema = isJsonObject(schema) ? childSchema(schema, key) : undefined;
  if (!isJsonObject(schema)) return [];
  if (isJsonObject(schema.properties)) return Object.keys(schema.properties);
  const names = isJsonObject(schema.propertyNames) ? schema.propertyNames.enum : undefined;
  return Array.isArray(names) ? names.map(String) : [];
}

function childSchema(schema: JsonObject, key: PropertyKey): JsonValue | undefined {
  if (typeof key === 'number') return schema.items;
  const own = isJsonObject(schema.properties) ? schema.properties[String(key)] : undefined;
  return own ?? schema.additionalProperties;
}
