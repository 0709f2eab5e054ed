import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { IsolatedProcess } from '../../base/isolated/isolatedProcess.ts';
import { moduleBeside } from '../../base/moduleBeside.ts';
import type { PageJob, PageQuestion } from './pageReaderProcess.ts';
import type { TextOrReason } from './pdfToText.ts';

/** Turns HTML and PDFs into readable text. */
export interface PageReader {
  /**
   * Undefined for a page that takes too long or too much memory, for instance one nested thousands deep.
   *
   * @throws the signal's reason, for a page that is wanted no more when its turn comes
   */
  read(job: PageJob, signal: AbortSignal): Promise<TextOrReason | undefined>;
  /** Ends the processes; nothing can be read after it. */
  close(): void;
}

type PageProcess = IsolatedProcess<PageQuestion>;

/** Enough for the tree of a page of several megabytes, and too little for a PDF of some kilobytes that unpacks to gigabytes. */
const MAX_MEMORY_MB = 768;
/** A process reads pages as long as it can: each has a time limit of its own. */
const MAX_CPU_SECONDS = 1e9;
/** For starting a process and loading what reads pages. */
const MAX_START_MS = 60_000;
const MAX_PROCESSES = 4;

/**
 * A reader with processes of its own, which a hostile page can't stop us by: reading time grows with the cube of a
 * page's depth, a PDF of some kilobytes can unpack to gigabytes, and a thread whose heap is full would take this
 * process along. Each page is read within `timeoutMs`.
 */
export function createPageReader(timeoutMs: number): PageReader {
  const turns = new PQueue({ concurrency: Math.min(MAX_PROCESSES, availableParallelism()) });
  const idle: PageProcess[] = [];
  let isClosed = false;
  return {
    read: (job, signal) =>
      turns.add(async () => {
        signal.throwIfAborted();
        const reader = idle.pop() ?? startProcess();
        const read = await readWith(reader, job, timeoutMs);
        if (read === undefined || isClosed) reader.close();
        else idle.push(reader);
        return read;
      }),
    close() {
      isClosed = true;
      for (const reader of idle.splice(0)) reader.close();
    },
  };
}

function startProcess(): PageProcess {
  return new IsolatedProcess(moduleBeside(import.meta.url, 'pageReaderProcess'), {
    memoryMb: MAX_MEMORY_MB,
    cpuSeconds: MAX_CPU_SECONDS,
  });
}

async function readWith(
  reader: PageProcess,
  job: PageJob,
  timeoutMs: number,
): Promise<TextOrReason | undefined> {
  const loaded = await inTime(reader, { load: job.kind }, MAX_START_MS);
  return loaded === undefined
    ? undefined
    : ((await inTime(reader, job, timeoutMs)) as TextOrReason | undefined);
}

/** The answer to a question; undefined when there is none in time, after which the process is ended. */
async function inTime(reader: PageProcess, question: PageQuestion, limitMs: number): Promise<unknown> {
  const timer = setTimeout(() => reader.close(), limitMs);
  try {
    return await reader.ask(question);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
