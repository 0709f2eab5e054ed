import { z } from 'zod';
import { tagNameSchema } from '../coa/profile.ts';
import {
  inputPath,
  key,
  keyOf,
  plainText,
  plainValues,
  positive,
  positiveInt,
  serviceUrl,
} from './keyMeaning.ts';
import { mcpConfigSchema } from './tools/mcp.ts';
import { toolNames } from './tools/toolFacts.ts';
import { toolSections } from './tools/toolSections.ts';

/** Optional section of each built-in tool. */
type OptionalSections = {
  [Name in keyof typeof toolSections]: z.ZodOptional<(typeof toolSections)[Name]['schema']>;
};

const optionalSections = Object.fromEntries(
  toolNames.map((name) => [name, toolSections[name].schema.optional()]),
) as OptionalSections;

const rolloutKey = keyOf('rollout');

/** The `tools.site` section: a bundled web. */
const siteConfigSchema = z.strictObject({
  folder: rolloutKey(inputPath, 'Folder of HTML pages, which are served over HTTP on the loopback'),
  host: rolloutKey(plainText.default('atlas.example'), 'Host name of the pages in search results and URLs'),
});

/** A user tool: behind a URL, or a module. */
const customToolConfigSchema = z
  .strictObject({
    url: key(
      serviceUrl.optional(),
      'Address that gets the input as JSON by POST and answers with text or JSON',
    ),
    module: rolloutKey(inputPath.optional(), 'Code of your own instead of url: docs/own-code.md'),
    description: rolloutKey(plainText.trim().min(1), 'What the tool does, as the model is told'),
    input_schema: rolloutKey(
      plainValues.optional(),
      'JSON Schema of the input object; absent: {"query": text}',
    ),
    api_key_env: key(plainText.optional(), 'Environment variable of the bearer token; absent: none is sent'),
    timeout_s: key(positive.default(30), 'Seconds that one answer may take'),
    max_chars: rolloutKey(positiveInt.default(8_000), 'Most characters of an answer that the agent is shown'),
  })
  .refine(({ url, module }) => (url === undefined) !== (module === undefined), {
    message: 'exactly one of url and module',
  })
  .refine(({ module, api_key_env }) => module === undefined || api_key_env === undefined, {
    path: ['api_key_env'],
    message: 'url beside it: a module is given no key',
  });
export type CustomToolConfig = z.infer<typeof customToolConfigSchema>;

/** The `tools` section; an unconfigured tool of a profile is an error before anything is spent. */
export const toolsConfigSchema = z.strictObject({
  ...optionalSections,
  site: siteConfigSchema.optional().describe('A bundled web: a server for its pages, and for web_search'),
  custom: z
    .record(tagNameSchema, customToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them, each behind a URL or a module of your own'),
  mcp: mcpConfigSchema.optional().describe('Tools of servers of the Model Context Protocol'),
});
export type ToolsConfig = z.infer<typeof toolsConfigSchema>;
