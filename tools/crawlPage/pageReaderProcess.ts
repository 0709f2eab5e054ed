/** Process of `createPageReader`: turns pages into text, one after another. */
import { answerQuestions } from '../../base/isolated/answerQuestions.ts';
import type { PageReading, PdfLimits } from './pdfToText.ts';

export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array; readonly limits: PdfLimits }
  /** All words of a page, for the search over a site. */
  | { readonly kind: 'words'; readonly html: string };

/** Requests to load the parser of a kind of page, so that only parsing counts as a page's time, and to read. */
export type PageQuestion = { readonly load: PageJob['kind'] } | PageJob;

const readers = {
  html: () => import('./htmlToText.ts'),
  words: () => import('./htmlToText.ts'),
  pdf: () => import('./pdfToText.ts'),
};

answerQuestions(async (question: PageQuestion): Promise<PageReading | null> => {
  if ('load' in question) {
    await readers[question.load]();
    return null;
  }
  if (question.kind === 'pdf') {
    const { buffer, byteOffset, length } = question.bytes;
    // A `Buffer` arrives as one, which the PDF library refuses.
    const bytes = new Uint8Array(buffer, byteOffset, length);
    return (await readers.pdf()).pdfToText(bytes, question.limits);
  }
  const { htmlTitle, htmlToText, htmlToWords, TooDeep } = await readers.html();
  const { html } = question;
  try {
    if (question.kind === 'words') return { ok: true, cut: false, ...htmlToWords(html) };
    const text = htmlToText(html, new URL(question.url));
    return { ok: true, cut: false, text, title: htmlTitle(html) };
  } catch (error) {
    if (error instanceof TooDeep) return { ok: false, reason: error.message };
    throw error;
  }
});
