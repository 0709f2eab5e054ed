import { z } from 'zod';
import type { InputRule } from '../input/parseToolInput.ts';

/** Longest query that a search takes, in UTF-16 code units; longer ones are an answer gone wrong. */
const MAX_QUERY_LENGTH = 4000;

const querySchema = z.strictObject({
  query: z.string().trim().min(1, 'is empty').max(MAX_QUERY_LENGTH).describe('What to look for'),
});

/** The input of a search. */
export type QueryInput = z.infer<typeof querySchema>;

/** What the searches take: `{"query": text}`. */
export const queryInput: InputRule<QueryInput> = {
  schema: querySchema,
  example: '{"query": "what to look for"}',
};
