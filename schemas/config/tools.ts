import { z } from 'zod';
import { tagNameSchema } from '../coa/profile.ts';
import { configPathSchema } from './paths.ts';
import { serviceUrlSchema } from './serviceUrl.ts';

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

/** The `tools` section; a profile's tool that is not configured is an error before anything is spent. */
export const toolsConfigSchema = z.strictObject({
  wiki_search: z
    .strictObject({
      corpus: configPathSchema.describe('JSONL of {"id", "contents"}; contents = "Title"\\ntext'),
      top_k: z.int().positive().default(3),
    })
    .optional(),
  site: z
    .strictObject({
      folder: configPathSchema.describe('HTML pages to serve over HTTP on the loopback'),
      host: z.string().default('atlas.example').describe('Host name of the pages in search results and URLs'),
    })
    .optional()
    .describe('A bundled web: starts a server for its pages and for web_search'),
  web_search: z
    .strictObject({
      base_url: serviceUrlSchema
        .optional()
        .describe("Serper-shaped search service; default: the bundled site's"),
      api_key_env: z
        .string()
        .default('SERPER_API_KEY')
        .describe('Environment variable that holds the key of base_url; "" when none is needed'),
      num: z.int().positive().max(100).default(10).describe('Results a query'),
      timeout_s: z.number().positive().default(30),
    })
    .optional(),
  crawl_page: z
    .strictObject({
      timeout_s: z.number().positive().default(30),
      max_bytes: z.int().positive().default(5_000_000).describe('Read of one page'),
      max_chars: z.int().positive().default(8_000).describe("Shown of one page's text"),
    })
    .optional(),
  code: z
    .strictObject({
      backend: z
        .enum(['auto', 'bubblewrap', 'pyodide'])
        .default('auto')
        .describe('auto: bubblewrap, and pyodide only with allow_unsafe'),
      allow_unsafe: z
        .boolean()
        .default(false)
        .describe('Lets pyodide run where bubblewrap is missing: for the bundled examples only'),
      timeout_s: z.number().positive().default(7).describe('Wall-clock limit of a program'),
      memory_mb: z.int().positive().default(512),
      max_output_chars: z.int().positive().default(512).describe('Shown to the agent'),
      concurrency: z.int().positive().default(2).describe('Programs run at once'),
    })
    .optional(),
  custom: z
    .record(tagNameSchema, customToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them, each behind a URL'),
});
/** See {@link toolsConfigSchema}. */
export type ToolsConfig = z.infer<typeof toolsConfigSchema>;
