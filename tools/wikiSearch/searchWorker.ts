/** The worker of `createSearchPool`: searches an index, one request after another. */
import { parentPort, workerData } from 'node:worker_threads';
import { type IndexFiles, openLocalSearch, type SearchRequest } from './createLocalSearch.ts';
import type { RetrievedPassage } from './passage.ts';

/** What the worker answers to a request. */
export type SearchAnswer =
  | { readonly ok: true; readonly passages: RetrievedPassage[] }
  | { readonly ok: false; readonly why: string };

const local = openLocalSearch(workerData as IndexFiles);

parentPort!.on('message', (request: SearchRequest) => {
  parentPort!.postMessage(answerTo(request));
});

function answerTo(request: SearchRequest): SearchAnswer {
  try {
    return { ok: true, passages: local.search(request) };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}
