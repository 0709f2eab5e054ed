import { z } from 'zod';
import { RecordFailure } from '../../contract/errors.ts';
import { createRedactor } from '../../schemas/createRedactor.ts';
import { type CustomService, postInput } from '../custom/postInput.ts';
import type { PassageRetriever } from './passage.ts';

/** Maximum answer size: many times a hundred passages of a thousand bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Answer of an AFM-style retrieval service, `POST /retrieve` with scores: a list per query, best first. */
const retrieveAnswerSchema = z.object({
  result: z.array(
    z.array(
      z.object({
        document: z.object({ id: z.union([z.string(), z.int().transform(String)]), contents: z.string() }),
        score: z.number(),
      }),
    ),
  ),
});

/** Retrieves passages from an AFM-style service; other keys of its answers are ignored. */
export function createServiceRetriever(
  options: Pick<CustomService, 'url' | 'apiKey' | 'timeoutMs'>,
): PassageRetriever {
  const redactor = createRedactor([options.apiKey]);
  const service = { ...options, redactor, name: 'wiki_search', maxBytes: MAX_BYTES };
  return {
    async retrieve(queries, topK, signal) {
      const { raw: answer } = await postInput(
        service,
        { queries: [...queries], topk: topK, return_scores: true },
        signal,
      );
      const checked = retrieveAnswerSchema.safeParse(answer);
      if (!checked.success) return fail(options.url, checked.error.issues[0]!);
      const { result } = checked.data;
      if (result.length !== queries.length)
        return fail(options.url, {
          path: ['result'],
          message: `${result.length} lists for ${queries.length} queries`,
        });
      return result.map((found) =>
        found.slice(0, topK).map(({ document, score }) => ({
          id: document.id,
          contents: document.contents.toWellFormed(),
          score,
        })),
      );
    },
    close() {},
  };
}

function fail(
  url: string,
  { path, message }: { readonly path: PropertyKey[]; readonly message: string },
): never {
  const where = path.map(String).join('.') || 'the answer';
  throw new RecordFailure(
    'tool_unavailable',
    `wiki_search: the service answered with something else than passages (${where}: ${message})`,
    { tool: 'wiki_search', service: new URL(url).origin },
  );
}
