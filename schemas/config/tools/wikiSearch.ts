import { z } from 'zod';
import { configPathSchema } from '../paths.ts';

/** The `tools.wiki_search` section: passages of an encyclopedia. */
export const wikiSearchConfigSchema = z.strictObject({
  corpus: configPathSchema.describe('JSONL of {"id", "contents"}; contents = "Title"\\ntext'),
  top_k: z.int().positive().default(3),
});
/** See {@link wikiSearchConfigSchema}. */
export type WikiSearchConfig = z.infer<typeof wikiSearchConfigSchema>;
