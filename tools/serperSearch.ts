import { z } from 'zod';
import { foundPageSchema } from '../schemas/run/cachedAnswer.ts';

/** A request to a search service of Serper's shape: `POST /search`. */
export const serperRequestSchema = z.object({
  q: z.string().min(1),
  num: z.int().min(1).max(100).default(10),
});
export type SerperRequest = z.infer<typeof serperRequestSchema>;

export const serperResultSchema = foundPageSchema;
export type SerperResult = z.infer<typeof serperResultSchema>;

/** A search service's answer; keys that we don't read are left alone. */
export const serperAnswerSchema = z.object({ organic: z.array(serperResultSchema) });
