import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { moduleBeside } from '../moduleBeside.ts';
import type { PageJob } from './pageReaderWorker.ts';

/** Turns HTML into readable text. */
export interface PageReader {
  /** Undefined for a page that takes too long or too much memory, for instance one nested thousands deep. */
  read(html: string, url: URL): Promise<string | undefined>;
}

/** Heap of the worker: enough for the tree of a page of several megabytes. */
const MAX_HEAP_MB = 512;

/**
 * A reader with a worker thread of its own, which a hostile page can't stop us by: reading time grows with the cube
 * of a page's depth. Pages are read one after another, each within `timeoutMs`.
 */
export function createPageReader(timeoutMs: number): PageReader {
  const turns = new PQueue({ concurrency: 1 });
  let worker: Worker | undefined;
  return {
    read: (html, url) =>
      turns.add(async () => {
        worker ??= startWorker();
        const text = await ask(worker, { html, url: url.href }, timeoutMs);
        if (text === undefined) {
          await worker.terminate();
          worker = undefined;
        }
        return text;
      }),
  };
}

function startWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  return new Worker(moduleBeside(import.meta.url, 'pageReaderWorker'), { env: {}, resourceLimits });
}

/** Keeps this process alive only while an answer is owed. */
function ask(worker: Worker, job: PageJob, timeoutMs: number): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve) => {
    worker.ref();
    const settle = (text: string | undefined) => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', giveUp).off('exit', giveUp);
      worker.unref();
      resolve(text);
    };
    const giveUp = () => settle(undefined);
    const timer = setTimeout(giveUp, timeoutMs);
    worker.on('message', settle).on('error', giveUp).on('exit', giveUp);
    worker.postMessage(job);
  });
}
