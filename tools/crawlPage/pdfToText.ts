import { getDocumentProxy } from 'unpdf';

/** Limits of reading a PDF. */
export interface PdfLimits {
  readonly maxPages: number;
  readonly maxChars: number;
}

/** The text of a page, or why there is none. */
export type PageReading =
  | {
      readonly ok: true;
      readonly text: string;
      /** True where there is more of the page. */
      readonly cut: boolean;
      /** Of HTML; empty where the page does not say. */
      readonly title?: string;
      readonly date?: string;
      readonly source?: string;
    }
  | { readonly ok: false; readonly reason: string };

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The text of a PDF, a blank line between its pages. Fonts and images of the document are not looked at. */
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

/** A page that can't be read is left out: the others may be what is looked for. */
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
