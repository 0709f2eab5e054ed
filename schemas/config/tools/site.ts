import { z } from 'zod';
import { configPathSchema } from '../paths.ts';

/** The `tools.site` section: a bundled web. */
export const siteConfigSchema = z.strictObject({
  folder: configPathSchema.describe('HTML pages to serve over HTTP on the loopback'),
  host: z.string().default('atlas.example').describe('Host name of the pages in search results and URLs'),
});
/** See {@link siteConfigSchema}. */
export type SiteConfig = z.infer<typeof siteConfigSchema>;
