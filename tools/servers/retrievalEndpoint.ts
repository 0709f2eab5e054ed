import { z } from 'zod';
import type { PassageRetriever, RetrievedPassage } from '../wikiSearch/passage.ts';
import type { ToolEndpoint } from './createToolApp.ts';
import { parseRequest, queryTextSchema } from './refusal.ts';

/** Maximum passages per query, and maximum queries per request. */
const MAX_PASSAGES = 100;
const MAX_QUERIES = 100;

/**
 * `POST /retrieve` like the servers of wiki-18: `{"queries", "topk"?, "return_scores"?}` gives `{"result"}`, a list
 * per query of `{"document": {"id", "contents"}, "score"}`; only documents without `return_scores`.
 * @param defaultTopK - Passages a query where a request does not say how many
 */
export function retrievalEndpoint(
  retriever: Pick<PassageRetriever, 'retrieve'>,
  defaultTopK: number,
): ToolEndpoint {
  const expected = `{"queries": [up to ${MAX_QUERIES} texts], "topk"?: 1 to ${MAX_PASSAGES}, "return_scores"?: true or false}`;
  return {
    name: 'wiki_search',
    path: '/retrieve',
    answer: async (body, signal) => {
      const { queries, topk, return_scores } = parseRequest(retrievalRequestSchema, body, expected);
      const topK = topk ?? defaultTopK;
      const found = queries.length === 0 ? [] : await retriever.retrieve(queries, topK, signal);
      const show = (passage: RetrievedPassage) =>
        return_scores ? scoredDocument(passage) : document(passage);
      return { result: found.map((passages) => passages.slice(0, topK).map(show)) };
    },
    refuse: (_status, message) => ({ detail: message }),
  };
}

const range = `expected a whole number from 1 to ${MAX_PASSAGES}`;
const retrievalRequestSchema = z.object(
  {
    queries: z
      .array(queryTextSchema, 'expected a list of texts')
      .max(MAX_QUERIES, `has more than ${MAX_QUERIES} texts`),
    topk: z.int(range).min(1, range).max(MAX_PASSAGES, range).nullish(),
    return_scores: z.boolean('expected true or false').nullish(),
  },
  'expected a JSON object',
);

function document({ id, contents }: RetrievedPassage) {
  return { id, contents };
}

function scoredDocument(passage: RetrievedPassage) {
  return { document: document(passage), score: passage.score };
}
