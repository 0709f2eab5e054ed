import { z } from 'zod';
import type { PassageRetriever, RetrievedPassage } from '../wikiSearch/passage.ts';
import type { ToolEndpoint } from './createToolApp.ts';
import { parseRequest, queryTextSchema } from './refusal.ts';

export interface RetrievalEndpointOptions {
  /** Passages a query where a request does not say how many. */
  readonly defaultTopK: number;
  /** Most passages a query. */
  readonly maxTopK: number;
  /** Most queries of a request. */
  readonly maxQueries: number;
}

/**
 * `POST /retrieve` as the servers of wiki-18 answer it: `{"queries", "topk"?, "return_scores"?}` gives `{"result"}`, a
 * list a query of `{"document": {"id", "contents"}, "score"}`; of the documents alone without `return_scores`.
 */
export function retrievalEndpoint(
  retriever: Pick<PassageRetriever, 'retrieve'>,
  { defaultTopK, maxTopK, maxQueries }: RetrievalEndpointOptions,
): ToolEndpoint {
  const schema = retrievalRequestSchema(maxTopK, maxQueries);
  const expected = `{"queries": [up to ${maxQueries} texts], "topk"?: 1 to ${maxTopK}, "return_scores"?: true or false}`;
  return {
    name: 'wiki_search',
    path: '/retrieve',
    answer: async (body, signal) => {
      const { queries, topk, return_scores } = parseRequest(schema, body, expected);
      const topK = topk ?? Math.min(defaultTopK, maxTopK);
      const found = queries.length === 0 ? [] : await retriever.retrieve(queries, topK, signal);
      const show = (passage: RetrievedPassage) =>
        return_scores ? scoredDocument(passage) : document(passage);
      return { result: found.map((passages) => passages.slice(0, topK).map(show)) };
    },
    refuse: (_status, message) => ({ detail: message }),
  };
}

function retrievalRequestSchema(maxTopK: number, maxQueries: number) {
  const range = `expected a whole number from 1 to ${maxTopK}`;
  return z.object(
    {
      queries: z
        .array(queryTextSchema, 'expected a list of texts')
        .max(maxQueries, `has more than ${maxQueries} texts`),
      topk: z.int(range).min(1, range).max(maxTopK, range).nullish(),
      return_scores: z.boolean('expected true or false').nullish(),
    },
    'expected a JSON object',
  );
}

function document({ id, contents }: RetrievedPassage) {
  return { id, contents };
}

function scoredDocument(passage: RetrievedPassage) {
  return { document: document(passage), score: passage.score };
}
