import { z } from 'zod';
import { serviceUrlSchema } from '../serviceUrl.ts';

/** The `tools.web_search` section: results of a web search. */
export const webSearchConfigSchema = z.strictObject({
  base_url: serviceUrlSchema.optional().describe("Serper-shaped search service; default: the bundled site's"),
  api_key_env: z
    .string()
    .default('SERPER_API_KEY')
    .describe('Environment variable that holds the key of base_url; "" when none is needed'),
  num: z.int().positive().max(100).default(10).describe('Results a query'),
  timeout_s: z.number().positive().default(30),
});
/** See {@link webSearchConfigSchema}. */
export type WebSearchConfig = z.infer<typeof webSearchConfigSchema>;
