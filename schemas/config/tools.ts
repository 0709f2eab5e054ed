import { z } from 'zod';
import { tagNameSchema } from '../coa/profile.ts';
import { codeConfigSchema } from './tools/code.ts';
import { crawlPageConfigSchema } from './tools/crawlPage.ts';
import { customToolConfigSchema } from './tools/custom.ts';
import { mcpConfigSchema } from './tools/mcp.ts';
import { serveConfigSchema } from './tools/serve.ts';
import { siteConfigSchema } from './tools/site.ts';
import { visualInspectorConfigSchema } from './tools/visualInspector.ts';
import { webSearchConfigSchema } from './tools/webSearch.ts';
import { wikiSearchConfigSchema } from './tools/wikiSearch.ts';

/** The `tools` section; a profile's tool that is not configured is an error before anything is spent. */
export const toolsConfigSchema = z.strictObject({
  wiki_search: wikiSearchConfigSchema.optional(),
  site: siteConfigSchema
    .optional()
    .describe('A bundled web: starts a server for its pages and for web_search'),
  web_search: webSearchConfigSchema.optional(),
  crawl_page: crawlPageConfigSchema.optional(),
  code: codeConfigSchema.optional(),
  visual_inspector: visualInspectorConfigSchema.optional(),
  custom: z
    .record(tagNameSchema, customToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them, each behind a URL'),
  mcp: mcpConfigSchema.optional().describe('Tools of servers of the Model Context Protocol'),
  serve: serveConfigSchema.optional().describe('How `coa-distill tools serve` serves them over HTTP'),
});
/** See {@link toolsConfigSchema}. */
export type ToolsConfig = z.infer<typeof toolsConfigSchema>;
