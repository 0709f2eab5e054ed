import { moduleBeside } from '../../base/moduleBeside.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';
import { type IndexFiles, openLocalSearch, openSearch, type SearchRequest } from './createLocalSearch.ts';
import type { PassageRetriever, RetrievedPassage } from './passage.ts';

/** Search method: by words, by meaning, or by both with their ranks fused. */
export type RetrievalMode = 'bm25' | 'dense' | 'hybrid';

export interface IndexRetrieverOptions {
  readonly files: IndexFiles;
  readonly passages: number;
  readonly mode: RetrievalMode;
  /** Required except for `bm25`. */
  readonly embeddings?: {
    /** Called at each search: a replay without one may have no model. */
    readonly model: () => Promise<EmbeddingModel>;
    /** Prefix of each query, as some models need it. */
    readonly queryPrefix: string;
  };
}

/** Minimum passages for other threads: below, a search takes about a millisecond. */
const POOLED_FROM = 50_000;

/** Retrieves passages from an index. Throws `UserError` if its files are missing or damaged. */
export function createIndexRetriever(options: IndexRetrieverOptions): PassageRetriever {
  const { files, passages, mode, embeddings } = options;
  const { search, close } = passages < POOLED_FROM ? searchHere(files) : searchOnThreads(files);
  const vectorsOf = async (queries: readonly string[], signal: AbortSignal) => {
    if (mode === 'bm25') return [];
    const { model, queryPrefix } = embeddings!;
    const opened = await model();
    const prefixed = queries.map((query) => `${queryPrefix}${query}`);
    return opened.embed(prefixed, signal);
  };
  return {
    async retrieve(queries, topK, signal) {
      const vectors = await vectorsOf(queries, signal);
      const searches = queries.map((query, at) =>
        searched(
          async () =>
            search({ limit: topK, query: mode === 'dense' ? undefined : query, vector: vectors[at] }),
          signal,
        ),
      );
      return Promise.all(searches);
    },
    close,
  };
}

/** Attributes an index that broke after opening to the service, not the agent. */
async function searched(search: () => Promise<RetrievedPassage[]>, signal: AbortSignal) {
  signal.throwIfAborted();
  try {
    return await unlessAborted(search(), signal);
  } catch (cause) {
    signal.throwIfAborted();
    const why = (cause as Error).message;
    const message = `wiki_search: the passage index failed (${why}); delete its file to have it built again`;
    throw new RecordFailure('tool_unavailable', message, { tool: 'wiki_search' }, { cause });
  }
}

function searchHere(files: IndexFiles) {
  const { search, close } = openLocalSearch(files);
  return { search: async (request: SearchRequest) => search(request), close };
}

/** Searches on other threads, since SQLite blocks its thread. */
function searchOnThreads(files: IndexFiles) {
  const work = new ThreadedWork<IndexFiles, SearchRequest, RetrievedPassage[]>({
    module: moduleBeside(import.meta.url, 'searchWorker'),
    open: openSearch,
    settings: files,
    weigh: () => Number.POSITIVE_INFINITY,
  });
  return { search: (request: SearchRequest) => work.run(request), close: () => work.close() };
}
