/** The worker of `createPageReader`: turns HTML and PDFs into text, one page after another. */
import { parentPort } from 'node:worker_threads';
import type { PdfLimits } from './pdfToText.ts';
import type { TextOrReason } from './textOrReason.ts';

/** A page as the worker is given it. */
export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array; readonly limits: PdfLimits };

/** Sent when what reads the page is loaded, then what was read: only reading counts as the page's own time. */
export type ReaderMessage = 'reading' | TextOrReason;

const say = (message: ReaderMessage) => parentPort!.postMessage(message);

parentPort?.on('message', async (job: PageJob) => say(await read(job)));

async function read(job: PageJob): Promise<TextOrReason> {
  if (job.kind === 'pdf') {
    const { pdfToText } = await import('./pdfToText.ts');
    say('reading');
    return pdfToText(job.bytes, job.limits);
  }
  const { htmlToText } = await import('./htmlToText.ts');
  say('reading');
  return { ok: true, text: htmlToText(job.html, new URL(job.url)), cut: false };
}
