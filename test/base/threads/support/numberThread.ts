/** A thread that works on numbers. */
import { serveWork } from '../../../../base/threads/serveWork.ts';
import { open } from './numberWork.ts';

serveWork(open);
