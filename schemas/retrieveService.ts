import { z } from 'zod';

/** The answer of a retrieval service of AFM's shape, `POST /retrieve` with scores: a list a query, best first. */
export const retrieveAnswerSchema = z.object({
  result: z.array(
    z.array(
      z.object({
        document: z.object({ id: z.union([z.string(), z.int().transform(String)]), contents: z.string() }),
        score: z.number(),
      }),
    ),
  ),
});
