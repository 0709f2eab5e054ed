/** A thread that lints rows. */
import { serveWork } from '../../base/threads/serveWork.ts';
import { open } from './lintWork.ts';

serveWork(open);
