import { z } from 'zod';
import { foundPageSchema } from '../../schemas/run/cachedAnswer.ts';
import { foldSpace, parseHtmlPage } from '../parseHtmlPage.ts';

/** Request to a Serper-compatible search service: `POST /search`. */
export const serperRequestSchema = z.object({
  q: z.string().min(1),
  num: z.int().min(1).max(100).default(10),
});
export type SerperRequest = z.infer<typeof serperRequestSchema>;

export type SerperResult = z.infer<typeof foundPageSchema>;

/** Answer of a search service; unknown keys are ignored. */
export const serperAnswerSchema = z.object({ organic: z.array(foundPageSchema) });

/** Maximum characters (UTF-16 code units) of each part of a result. */
export const MAX_RESULT_CHARS = { title: 300, snippet: 2000, date: 100, source: 200 } as const;
/** Maximum link length, as in browsers and servers. */
const MAX_LINK_CHARS = 2048;
/** HTML is read up to this multiple of the kept length, since markup takes room. */
const HTML_SHARE = 8;

/** A result as returned by a provider. */
export interface FoundResult {
  readonly title?: string | null | undefined;
  readonly link: string;
  readonly snippet?: string | null | undefined;
  readonly date?: string | null | undefined;
  readonly source?: string | null | undefined;
}

/** Displayable results: at most `num`, without those that link to no page. */
export function cleanResults(found: readonly FoundResult[], num: number): SerperResult[] {
  return found.flatMap((result) => cleanResult(result) ?? []).slice(0, num);
}

/**
 * A result with each part on one line, truncated, without control characters; undefined unless its link is an http(s)
 * URL. A page without a title is named by its link.
 */
function cleanResult({ link, title, ...others }: FoundResult): SerperResult | undefined {
  const page = pageLink(link);
  if (page === undefined) return undefined;
  const snippet = oneLine(others.snippet, MAX_RESULT_CHARS.snippet);
  const date = oneLine(others.date, MAX_RESULT_CHARS.date);
  const source = oneLine(others.source, MAX_RESULT_CHARS.source);
  return {
    title: oneLine(title, MAX_RESULT_CHARS.title) || page.slice(0, MAX_RESULT_CHARS.title),
    link: page,
    ...(snippet && { snippet }),
    ...(date && { date }),
    ...(source && { source }),
  };
}

/** Text of an HTML fragment without tags, with entities decoded. Reads only as far as needed. */
export function textOfHtml(html: string | null | undefined): string {
  const start = (html ?? '').slice(0, MAX_RESULT_CHARS.snippet * HTML_SHARE);
  if (!/[<&]/.test(start)) return start;
  return parseHtmlPage(start).documentElement?.textContent ?? start;
}

function pageLink(link: string): string | undefined {
  const text = link.trim();
  if (text.length > MAX_LINK_CHARS || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  // Unchanged, so that a page keeps its name; characters that would end the line are encoded.
  return /[\s\p{C}<>]/u.test(text) ? href : text;
}

/** One line of text without control characters, cut to `maxChars` UTF-16 code units with an ellipsis. */
export function oneLine(text: string | null | undefined, maxChars: number): string {
  // Twice the length suffices for folding: longer runs of white space are cut too.
  const start = (text ?? '').slice(0, 2 * maxChars).toWellFormed();
  const folded = foldSpace(start.replace(/\p{Cc}/gu, ' '));
  return folded.length <= maxChars
    ? folded
    : `${folded
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
