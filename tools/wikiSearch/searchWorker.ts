/** Threads of `createIndexRetriever`. */
import { serveWork } from '../../base/threads/serveWork.ts';
import { openSearch } from './createLocalSearch.ts';

serveWork(openSearch);
