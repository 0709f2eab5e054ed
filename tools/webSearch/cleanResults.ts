import { z } from 'zod';
import { foundPageSchema } from '../../schemas/run/cachedAnswer.ts';
import { foldSpace, parseHtmlPage } from '../parseHtmlPage.ts';

/** A request to a search service of Serper's shape: `POST /search`. */
export const serperRequestSchema = z.object({
  q: z.string().min(1),
  num: z.int().min(1).max(100).default(10),
});
export type SerperRequest = z.infer<typeof serperRequestSchema>;

export type SerperResult = z.infer<typeof foundPageSchema>;

/** A search service's answer; keys that we don't read are left alone. */
export const serperAnswerSchema = z.object({ organic: z.array(foundPageSchema) });

/** Most characters (UTF-16 code units) that are kept of each part of a result. */
export const MAX_RESULT_CHARS = { title: 300, snippet: 2000, date: 100, source: 200 } as const;
/** Longest link: what browsers and servers take. */
const MAX_LINK_CHARS = 2048;
/** HTML is read up to so many times the length that is kept: markup takes room too. */
const HTML_SHARE = 8;

/** A result as a provider gives it. */
export interface FoundResult {
  readonly title?: string | null | undefined;
  readonly link: string;
  readonly snippet?: string | null | undefined;
  readonly date?: string | null | undefined;
  readonly source?: string | null | undefined;
}

/** Results fit to be shown: those without a link to a page are left out, at most `num` are kept. */
export function cleanResults(found: readonly FoundResult[], num: number): SerperResult[] {
  return found.flatMap((result) => cleanResult(result) ?? []).slice(0, num);
}

/**
 * A result with every part on one line, cut to its length, without control characters; undefined when its link is no
 * http(s) URL. A page without a title is named by its link.
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

/** The text of a piece of HTML: without tags, with entities decoded. Read no further than what is kept may reach. */
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
  // As it came, so that the same page keeps its name; what would end the line is encoded.
  return /[\s\p{C}<>]/u.test(text) ? href : text;
}

/** A text on one line without control characters, cut to `maxChars` UTF-16 code units with an ellipsis. */
export function oneLine(text: string | null | undefined, maxChars: number): string {
  // Twice the length is enough to fold: runs of white space that are longer are cut with the rest.
  const start = (text ?? '').slice(0, 2 * maxChars).toWellFormed();
  const folded = foldSpace(start.replace(/\p{Cc}/gu, ' '));
  return folded.length <= maxChars
    ? folded
    : `${folded
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
