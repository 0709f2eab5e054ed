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

/** What keys say of themselves for our own use does not belong into a JSON Schema. */
function withoutMeaning({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  for (const key of ['shapes', 'presence', 'names', 'path', 'many', 'secret']) delete jsonSchema[key];
}
