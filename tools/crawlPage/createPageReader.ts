import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { IsolatedProcess } from '../../base/isolated/isolatedProcess.ts';
import { moduleBeside } from '../../base/moduleBeside.ts';
import type { PageJob, PageQuestion } from './pageReaderProcess.ts';
import type { PageReading } from './pdfToText.ts';

/** Turns HTML and PDFs into text. */
export interface PageReader {
  /** @throws the signal's reason */
  read(job: PageJob, signal: AbortSignal): Promise<PageReading>;
  /** Stops the processes; no reading is possible afterwards. */
  close(): void;
}

type PageProcess = IsolatedProcess<PageQuestion>;

/**
 * Enough for the tree of a page of several megabytes, too little for a PDF of some kilobytes that unpacks to
 * gigabytes.
 */
const MAX_MEMORY_MB = 768;
/** Maximum characters of a page's HTML, at some 10 microseconds and 250 bytes of memory each. */
const MAX_HTML_CHARS = 1_000_000;
/** Unlimited in practice: each page has a time limit of its own. */
const MAX_CPU_SECONDS = 1e9;
/** Timeout of starting a process and loading its parsers. */
const MAX_START_MS = 60_000;
const MAX_PROCESSES = 4;

/**
 * Isolated parser of untrusted pages: separate processes, so that a hostile page cannot stop us. Parsing time grows
 * with the cube of a page's depth, a PDF of some kilobytes can unpack to gigabytes, and a thread with a full heap
 * would take this process down. A page that exceeds `timeoutMs` or the memory limit is refused.
 * @param module calls `answerQuestions` with a `PageQuestion`
 */
export function createPageReader(
  timeoutMs: number,
  module = moduleBeside(import.meta.url, 'pageReaderProcess'),
): PageReader {
  const turns = new PQueue({ concurrency: Math.min(MAX_PROCESSES, availableParallelism()) });
  const idle: PageProcess[] = [];
  let isClosed = false;
  return {
    read: (job, signal) =>
      turns.add(async () => {
        signal.throwIfAborted();
        const reader = idle.pop() ?? startProcess(module);
        const stop = () => reader.close();
        signal.addEventListener('abort', stop);
        const read = await readWith(reader, cutHtml(job), timeoutMs);
        signal.removeEventListener('abort', stop);
        if (read === undefined || isClosed) reader.close();
        else idle.push(reader);
        signal.throwIfAborted();
        if (read === undefined)
          return { ok: false, reason: `${job.kind === 'pdf' ? 'the PDF' : 'its HTML'} is too complex` };
        return read.ok && isLong(job) ? { ...read, cut: true } : read;
      }),
    close() {
      isClosed = true;
      for (const reader of idle.splice(0)) reader.close();
    },
  };
}

function isLong(job: PageJob): boolean {
  return job.kind !== 'pdf' && job.html.length > MAX_HTML_CHARS;
}

function cutHtml(job: PageJob): PageJob {
  return job.kind === 'pdf' ? job : { ...job, html: job.html.slice(0, MAX_HTML_CHARS) };
}

function startProcess(module: URL): PageProcess {
  return new IsolatedProcess(module, { memoryMb: MAX_MEMORY_MB, cpuSeconds: MAX_CPU_SECONDS });
}

async function readWith(
  reader: PageProcess,
  job: PageJob,
  timeoutMs: number,
): Promise<PageReading | undefined> {
  const loaded = await inTime(reader, { load: job.kind }, MAX_START_MS);
  return loaded === undefined
    ? undefined
    : ((await inTime(reader, job, timeoutMs)) as PageReading | undefined);
}

/** Answer to a question; undefined after a timeout, which ends the process. */
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
