import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { configSchema } from '../../schemas/config/config.ts';

/** The JSON Schema of `coa.yaml`, for completion and checks in editors. Keys with a default are optional. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input', override: withoutMeaning }) as JsonObject;
  return { ...schema, title: 'coa-distill configuration' };
}

/** The same as the text of a file. */
export function configSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** What keys say of themselves for our own use does not belong into a JSON Schema. */
function withoutMeaning({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  for (const key of ['shapes', 'unsaid', 'presence', 'names', 'path', 'many', 'secret'])
    delete jsonSchema[key];
}

/** What a JSON Schema says of a key, or of a place in a list. */
export function childSchema(schema: JsonValue | undefined, key: PropertyKey): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (typeof key === 'number') return schema.items;
  const objects = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [schema];
  const found = objects.flatMap((object) => {
    const own = isJsonObject(object) && isJsonObject(object.properties) ? object.properties[String(key)] : [];
    return own ?? [];
  });
  if (found.length === 0) return schema.additionalProperties;
  // The key that tells several objects apart has another value in each.
  const names = found.flatMap((one) => (isJsonObject(one) && one.const !== undefined ? [one.const] : []));
  return names.length > 1 ? { enum: names } : found[0];
}
