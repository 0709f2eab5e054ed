import type { FetchedPage } from '../fetch/fetchPage.ts';
import type { PageReader } from './createPageReader.ts';
import { decodePage } from './decodePage.ts';

/** A page as the agent is shown it, or why it can't be. */
export type PageText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The readable text of a fetched page, cut to `maxChars` characters (code points) with a notice. */
export async function pageText(page: FetchedPage, maxChars: number, reader: PageReader): Promise<PageText> {
  if (page.kind === 'inaccessible') return { ok: false, reason: page.reason };
  const type = page.contentType.split(';', 1)[0]!.trim().toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml && !type.startsWith('text/') && type !== 'application/json') {
    return { ok: false, reason: `it is ${type}, not a text` };
  }
  const source = decodePage(page.bytes, page.contentType);
  const text = isHtml ? await reader.read(source, page.url) : source.trim();
  if (text === undefined) return { ok: false, reason: 'its HTML is too complex' };
  if (text === '') return { ok: false, reason: 'it has no readable text' };
  return { ok: true, text: cutText(text, maxChars, page.cut) };
}

/** Cut text ends with a notice, whether the text or the page itself was longer. */
export function cutText(text: string, maxChars: number, cutBefore: boolean): string {
  const characters = [...text.toWellFormed()];
  if (characters.length <= maxChars && !cutBefore) return characters.join('');
  return `${characters.slice(0, maxChars).join('').trimEnd()}\n[The page is longer; this is its beginning.]`;
}
