import { z } from 'zod';

/** The `tools.crawl_page` section: pages as text. */
export const crawlPageConfigSchema = z.strictObject({
  timeout_s: z.number().positive().default(30),
  max_bytes: z.int().positive().default(5_000_000).describe('Read of one page'),
  max_chars: z.int().positive().default(8_000).describe("Shown of one page's text"),
});
/** See {@link crawlPageConfigSchema}. */
export type CrawlPageConfig = z.infer<typeof crawlPageConfigSchema>;
