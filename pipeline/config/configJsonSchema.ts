import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { configSchema } from '../../schemas/config/config.ts';

/** JSON Schema of `coa.yaml` for editors. Keys with a default are optional. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input', override: withoutMeaning }) as JsonObject;
  return { ...schema, title: 'coa-distill configuration' };
}

export function configSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** Removes internal metadata from the schema, and allows a model name in place of a model. */
function withoutMeaning({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  const isModel = jsonSchema.model !== undefined;
  for (const key of ['shapes', 'presence', 'names', 'path', 'many', 'secret', 'model'])
    delete jsonSchema[key];
  if (!isModel) return;
  const { description, default: fallback, ...model } = jsonSchema;
  for (const key of Object.keys(model)) delete jsonSchema[key];
  jsonSchema.anyOf = [{ type: 'string' }, model];
}
