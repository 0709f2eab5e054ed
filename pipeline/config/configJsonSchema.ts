import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
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

/** Takes out what keys say of themselves for our own use; a key that holds a model may name it instead. */
function withoutMeaning({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  const isModel = jsonSchema.model !== undefined;
  for (const key of ['shapes', 'presence', 'names', 'path', 'many', 'secret', 'model'])
    delete jsonSchema[key];
  if (!isModel) return;
  const { description, default: fallback, ...model } = jsonSchema;
  for (const key of Object.keys(model)) delete jsonSchema[key];
  jsonSchema.anyOf = [{ type: 'string' }, model];
}
