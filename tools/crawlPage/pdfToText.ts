import { getDocumentProxy } from 'unpdf';

export interface PdfLimits {
  readonly maxPages: number;
  readonly maxChars: number;
}

/** Text of a page, or the reason for none. */
export type PageReading =
  | {
      readonly ok: true;
      readonly text: string;
      /** True if the page continues. */
      readonly cut: boolean;
      /** Title of HTML; empty without one. */
      readonly title?: string;
      readonly date?: string;
      readonly source?: string;
    }
  | { readonly ok: false; readonly reason: string };

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Text of a PDF, with a blank line between pages. Fonts and images are ignored. */
export async function pdfToText(bytes: Uint8Array, limits: PdfLimits): Promise<PageReading> {
  let document: Document;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, stopAtErrors: false });
  } catch (error) {
    const { name } = error as Error;
    return { ok: false, reason: name === 'PasswordException' ? 'the PDF is encrypted' : 'the PDF is broken' };
  }
  const pages: string[] = [];
  let chars = 0;
  const count = Math.min(document.numPages, limits.maxPages);
  for (let number = 1; number <= count && chars <= limits.maxChars; number++) {
    const text = await pageTextOf(document, number);
    if (text !== '') pages.push(text);
    chars += text.length;
  }
  const cut = pages.length > 0 && (document.numPages > limits.maxPages || chars > limits.maxChars);
  return { ok: true, text: pages.join('\n\n'), cut };
}

/** Skips an unreadable page: the others may contain the wanted text. */
async function pageTextOf(document: Document, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim();
    page.cleanup();
    return text;
  } catch {
    return '';
  }
}
