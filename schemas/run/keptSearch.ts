import { z } from 'zod';
import { searchProviderSchema } from '../config/tools/webSearch.ts';

const optionalText = z.string().nullish();

/** A page that a search found. */
export const foundPageSchema = z.object({
  title: z.string(),
  link: z.string(),
  snippet: optionalText,
  date: optionalText,
  source: optionalText,
});

/** What is kept of a web search as the tool's raw answer: who was asked what, and what was found. When stands beside it. */
export const keptSearchSchema = z.object({
  provider: searchProviderSchema,
  query: z.string(),
  /** Results that were asked for. */
  num: z.int().positive(),
  /** Found pages, best first; absent where the query was refused. */
  organic: z.array(foundPageSchema).optional(),
  /** Why the provider does not take the query. */
  refused: z.string().optional(),
});
/** See {@link keptSearchSchema}. */
export type KeptSearch = z.infer<typeof keptSearchSchema>;
