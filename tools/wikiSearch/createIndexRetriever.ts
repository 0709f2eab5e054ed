import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { moduleBeside } from '../../base/moduleBeside.ts';
import type { EmbeddingModel } from '../../contract/embeddingModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { type IndexFiles, openLocalSearch, type SearchRequest } from './createLocalSearch.ts';
import type { PassageRetriever, RetrievedPassage } from './passage.ts';
import type { SearchAnswer } from './searchWorker.ts';

/** How passages are found: by words, by meaning, or by both with their ranks fused. */
export type RetrievalMode = 'bm25' | 'dense' | 'hybrid';

export interface IndexRetrieverOptions {
  readonly files: IndexFiles;
  readonly passages: number;
  readonly mode: RetrievalMode;
  /** Must be there but for `bm25`. */
  readonly embeddings?: {
    /** Asked at each search: a replay without one may have no model. */
    readonly model: () => Promise<EmbeddingModel>;
    /** Put before each query, as some models want it. */
    readonly queryPrefix: string;
  };
}

/** Below, a search takes about a millisecond, and no other thread is worth its start. */
const POOLED_FROM = 50_000;
/** Most searching threads; each has 32 MiB of the index in memory. */
const MAX_THREADS = 4;

/** Retrieves passages from an index. Throws `UserError` when its files are missing or damaged. */
export function createIndexRetriever(options: IndexRetrieverOptions): PassageRetriever {
  const { files, passages, mode, embeddings } = options;
  const pool = passages < POOLED_FROM ? searchHere(files) : createSearchPool(files, threadCount());
  const vectorsOf = async (queries: readonly string[], signal: AbortSignal) => {
    if (mode === 'bm25') return [];
    const { model, queryPrefix } = embeddings!;
    const opened = await model();
    return opened.embed(
      queries.map((query) => `${queryPrefix}${query}`),
      signal,
    );
  };
  return {
    async retrieve(queries, topK, signal) {
      const vectors = await vectorsOf(queries, signal);
      const searches = queries.map((query, at) => {
        const vector = vectors[at];
        const request = { limit: topK, ...(mode !== 'dense' && { query }), ...(vector && { vector }) };
        return search(pool, request, signal);
      });
      return Promise.all(searches);
    },
    close: () => pool.close(),
  };
}

function threadCount(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

function searchHere(files: IndexFiles): SearchPool {
  const local = openLocalSearch(files);
  return {
    async search(request, signal) {
      signal.throwIfAborted();
      return local.search(request);
    },
    async close() {
      local.close();
    },
  };
}

/** An index that broke after it was opened is the service's fault, not the agent's. */
async function search(pool: SearchPool, request: SearchRequest, signal: AbortSignal) {
  try {
    return await pool.search(request, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const why = (cause as Error).message;
    const message = `wiki_search: the passage index failed (${why}); delete its file to have it built again`;
    throw new RecordFailure('tool_unavailable', message, { tool: 'wiki_search' }, { cause });
  }
}

/** Searches on other threads. */
interface SearchPool {
  /** Throws what the search threw, or that its thread ended; the signal's reason when it is aborted before its turn. */
  search(request: SearchRequest, signal: AbortSignal): Promise<RetrievedPassage[]>;
  close(): Promise<void>;
}

/**
 * Searches an index on up to `threads` threads, each with a connection of its own: SQLite keeps the thread that asks
 * it waiting. Threads start when they are first needed; one that broke is replaced at the next search.
 */
function createSearchPool(files: IndexFiles, threads: number): SearchPool {
  const turns = new PQueue({ concurrency: threads });
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const start = () => {
    const worker = new Worker(moduleBeside(import.meta.url, 'searchWorker'), { env: {}, workerData: files });
    all.add(worker);
    return worker;
  };
  const search = async (request: SearchRequest): Promise<RetrievedPassage[]> => {
    const worker = idle.pop() ?? start();
    const answer = await ask(worker, request).catch((error: Error) => {
      all.delete(worker);
      throw error;
    });
    idle.push(worker);
    if (!answer.ok) throw new Error(answer.why);
    return answer.passages;
  };
  return {
    search: (request, signal) => turns.add(() => search(request), { signal }),
    async close() {
      turns.clear();
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** Keeps this process alive only while an answer is pending. */
function ask(worker: Worker, request: SearchRequest): Promise<SearchAnswer> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      worker.off('message', answered).off('error', broke).off('exit', ended);
      worker.unref();
    };
    const answered = (answer: SearchAnswer) => {
      leave();
      resolve(answer);
    };
    const broke = (error: Error) => {
      leave();
      reject(error);
    };
    const ended = (code: number) => broke(new Error(`the searching thread ended with code ${code}`));
    worker.ref();
    worker.on('message', answered).on('error', broke).on('exit', ended);
    worker.postMessage(request);
  });
}
