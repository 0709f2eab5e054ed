import { z } from 'zod';
import { configPathSchema } from './paths.ts';

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
      base_url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("Serper-shaped search service; default: the bundled site's"),
      api_key_env: z.string().default('SERPER_API_KEY').describe('Environment variable that holds the key'),
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
});
/** See {@link toolsConfigSchema}. */
export type ToolsConfig = z.infer<typeof toolsConfigSchema>;
