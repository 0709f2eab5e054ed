import { z } from 'zod';
import { serviceUrlSchema } from '../serviceUrl.ts';

/** A tool behind a URL of the user's own. */
export const customToolConfigSchema = z.strictObject({
  url: serviceUrlSchema.describe('Gets the input as JSON by POST; answers with text, or with JSON'),
  description: z.string().trim().min(1).describe('What the tool does, as the model is told'),
  input_schema: z
    .record(z.string(), z.json())
    .optional()
    .describe('JSON Schema of the input, an object; default: {"query": a text}'),
  api_key_env: z.string().optional().describe('Environment variable whose key is sent as a bearer token'),
  timeout_s: z.number().positive().default(30),
  max_bytes: z.int().positive().default(1_000_000).describe('Read of one answer'),
  max_chars: z.int().positive().default(8_000).describe('Shown of one answer'),
});
/** See {@link customToolConfigSchema}. */
export type CustomToolConfig = z.infer<typeof customToolConfigSchema>;
