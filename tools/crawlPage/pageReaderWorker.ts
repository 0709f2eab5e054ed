/** The worker of `createPageReader`: turns HTML into text, one page after another. */
import { parentPort } from 'node:worker_threads';
import { htmlToText } from './htmlToText.ts';

/** A page as the worker is given it. */
export interface PageJob {
  readonly html: string;
  readonly url: string;
}

parentPort!.on('message', ({ html, url }: PageJob) => {
  parentPort!.postMessage(htmlToText(html, new URL(url)));
});
