import { z } from 'zod';
import { tagNameSchema } from '../coa/profile.ts';
import { customToolConfigSchema } from './tools/custom.ts';
import { mcpConfigSchema } from './tools/mcp.ts';
import { serveConfigSchema } from './tools/serve.ts';
import { siteConfigSchema } from './tools/site.ts';
import { toolNames, toolSections } from './tools/toolSections.ts';

/** A section of each tool that comes with coa-distill, all optional. */
type OptionalSections = {
  [Name in keyof typeof toolSections]: z.ZodOptional<(typeof toolSections)[Name]['schema']>;
};

const optionalSections = Object.fromEntries(
  toolNames.map((name) => [name, toolSections[name].schema.optional()]),
) as OptionalSections;

/** The `tools` section; a profile's tool that is not configured is an error before anything is spent. */
export const toolsConfigSchema = z.strictObject({
  ...optionalSections,
  site: siteConfigSchema
    .optional()
    .describe('A bundled web: starts a server for its pages and for web_search'),
  custom: z
    .record(tagNameSchema, customToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them, each behind a URL'),
  mcp: mcpConfigSchema.optional().describe('Tools of servers of the Model Context Protocol'),
  serve: serveConfigSchema.optional().describe('How `coa-distill tools serve` serves them over HTTP'),
});
/** See {@link toolsConfigSchema}. */
export type ToolsConfig = z.infer<typeof toolsConfigSchema>;
