/** The process of `createPageReader`: turns HTML and PDFs into text, one page after another. */
import { answerQuestions } from '../../base/isolated/answerQuestions.ts';
import type { PdfLimits, TextOrReason } from './pdfToText.ts';

export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array; readonly limits: PdfLimits };

/** What it is asked: to load what reads pages of a kind, so that only reading counts as a page's own time; then to read. */
export type PageQuestion = { readonly load: PageJob['kind'] } | PageJob;

const readers = {
  html: () => import('./htmlToText.ts'),
  pdf: () => import('./pdfToText.ts'),
};

answerQuestions(async (question: PageQuestion): Promise<TextOrReason | null> => {
  if ('load' in question) {
    await readers[question.load]();
    return null;
  }
  if (question.kind === 'pdf') {
    const { buffer, byteOffset, length } = question.bytes;
    // A `Buffer` is one on this side too, which the PDF library refuses.
    const bytes = new Uint8Array(buffer, byteOffset, length);
    return (await readers.pdf()).pdfToText(bytes, question.limits);
  }
  const { htmlToText } = await readers.html();
  return { ok: true, text: htmlToText(question.html, new URL(question.url)), cut: false };
});
