import { serveWork } from '../../base/threads/serveWork.ts';
import { open } from './rowWork.ts';

serveWork(open);
