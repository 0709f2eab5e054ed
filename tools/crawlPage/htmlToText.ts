import { Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { foldSpace, type HtmlPage, parseHtmlPage } from '../parseHtmlPage.ts';

/** Elements without content, removed if Readability finds no article. */
const CHROME = 'head, script, style, template, noscript, iframe, nav, svg';
/** Elements and roles around a page's content. */
const AROUND = `${CHROME}, header, footer, aside, form, button, [role="navigation"], [role="banner"], [role="contentinfo"], [aria-hidden="true"], [hidden]`;
/** Class and id words of surroundings; wikis call a summary at the side an infobox or a sidebar. */
const AROUND_NAMES =
  /(?:^|[\s_-])(?:nav(?:bar|igation|box)?|menu|breadcrumbs?|footer|masthead|cookies?|consent|banner|share|sharing|social|pagination|pager|related|advert(?:isement)?|promo|newsletter|subscribe|skip(?:-?link)?)(?:$|[\s_-])/i;
const ITEMS = 'tr, li, dt, dd';
/** Maximum share of a page's words that an article may omit or add. Every table and list item is required. */
const MAX_LEFT_OUT = 0.01;
/** Elements without words, or that repeat the title. */
const WORDLESS = 'img, picture, video, audio, canvas, object, embed, body title';

/** Thrown for a page that would take minutes: parsing time grows with the cube of the depth. */
export class TooDeep extends Error {}

/** Maximum nesting of elements; normal pages have at most 60. */
const MAX_DEPTH = 500;

/**
 * Readable part of a page as Markdown, title first: Readability's article, or the whole body if it finds none. Links
 * are absolute; images are dropped. Empty for a page without text.
 * @throws TooDeep
 */
export function htmlToText(html: string, url: URL): string {
  const document = parseShallow(html);
  const title = foldSpace(document.querySelector('title')?.textContent);
  for (const part of document.querySelectorAll(WORDLESS)) part.remove();
  makeLinksAbsolute(document, baseOf(document, url));
  const article = readArticle(document.toString());
  const content = contentOf(document);
  const heading = article?.title ? foldSpace(article.title) : title;
  const takesArticle = article && isContent(article.textContent!, content);
  if (!takesArticle) dropHeading(content, heading);
  const hasContent = withoutSpace(content.textContent ?? '') !== '';
  const whole = hasContent || article ? content.innerHTML : wholeBody(document);
  const body = toMarkdown(takesArticle ? article.content! : whole);
  return [...(heading && body ? [`# ${heading}`] : []), body].filter((part) => part !== '').join('\n\n');
}

/** Removes a heading that precedes the text. */
function dropHeading(content: HtmlPage['body'], heading: string): void {
  for (const first of content.querySelectorAll('h1'))
    if (heading.includes(foldSpace(first.textContent))) first.remove();
}

/** Content of a page without its surroundings. */
function contentOf(original: HtmlPage): HtmlPage['body'] {
  const document = parseHtmlPage(original.toString());
  const mains = document.querySelectorAll('main, [role="main"]');
  const root = (mains.length === 1 ? mains[0]! : document.body) as HtmlPage['body'];
  for (const part of root.querySelectorAll(AROUND)) if (!holdsContent(part)) part.remove();
  for (const part of root.querySelectorAll('[class], [id]'))
    if (AROUND_NAMES.test(`${part.getAttribute('class') ?? ''} ${part.id}`) && !holdsContent(part))
      part.remove();
  return root;
}

function holdsContent(part: Node): boolean {
  return part.querySelector('h1, main, article') !== null && part.querySelector('p, table, dl, pre') !== null;
}

/** True if an article has every table and list item of a page, most of its other words, and little else. */
function isContent(article: string, content: HtmlPage['body']): boolean {
  const known = withoutSpace(article);
  const isKnown = ({ textContent }: Node) => known.includes(withoutSpace(textContent ?? ''));
  for (const item of content.querySelectorAll(ITEMS)) {
    // A list of only links is navigation.
    if (item.localName === 'li' && withoutSpace(item.textContent ?? '') === linkedWords(item)) continue;
    const cells = item.localName === 'tr' ? [...item.children] : [item];
    if (!cells.every(isKnown)) return false;
  }
  let [words, leftOut] = [0, 0];
  const texts = content.ownerDocument.createTreeWalker(content, SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = withoutSpace(node.textContent ?? '');
    if (text === '' || node.parentElement?.closest('a, h1')) continue;
    words += text.length;
    if (!known.includes(text)) leftOut += text.length;
  }
  const all = withoutSpace(content.textContent ?? '').length;
  if (all === 0) return true;
  // Readability may include the surroundings if it finds little.
  const isMore = known.length > (1 + MAX_LEFT_OUT) * all;
  return !isMore && leftOut <= MAX_LEFT_OUT * words;
}

/** `NodeFilter.SHOW_TEXT` */
const SHOW_TEXT = 4;

function linkedWords(part: Node): string {
  return withoutSpace([...part.querySelectorAll('a[href]')].map(({ textContent }) => textContent).join(''));
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** First heading of a page, otherwise its `<title>`, which also names the site. */
export function htmlTitle(html: string): string {
  const document = parseHtmlPage(html);
  const textOf = (selector: string) => foldSpace(document.querySelector(selector)?.textContent);
  return textOf('h1') || textOf('title');
}

/** Parts excluded from search because they are not the page's own text. */
const UNSEARCHED = 'title, script, style, template, noscript, nav, footer';
/** Elements that separate words without white space. */
const BLOCKS =
  'p, div, section, article, header, li, dt, dd, tr, td, th, caption, h1, h2, h3, h4, h5, h6, br, pre';

/** Searchable text of a page. */
export interface HtmlWords {
  readonly title: string;
  readonly text: string;
  /** Content of `<meta name="date">`; empty without one. */
  readonly date: string;
  /** Content of `<meta name="author">`; empty without one. */
  readonly source: string;
}

/**
 * Words of a page with white space folded, and its `<title>`.
 * @throws TooDeep
 */
export function htmlToWords(html: string): HtmlWords {
  const document = parseShallow(html);
  const meta = (name: string) =>
    document.querySelector(`meta[name="${name}"]`)?.getAttribute('content')?.trim() ?? '';
  const title = foldSpace(document.querySelector('title')?.textContent);
  for (const hidden of document.querySelectorAll(UNSEARCHED)) hidden.remove();
  for (const block of document.querySelectorAll(BLOCKS)) block.after(' ');
  return {
    title,
    text: foldSpace(document.documentElement.textContent),
    date: meta('date'),
    source: meta('author'),
  };
}

type Node = NonNullable<HtmlPage['documentElement']['firstElementChild']>;

function parseShallow(html: string): HtmlPage {
  const document = parseHtmlPage(html);
  let depth = 0;
  for (let node: Node | null = document.documentElement; node; ) {
    if (depth > MAX_DEPTH) throw new TooDeep('its HTML is too complex');
    if (node.firstElementChild) {
      node = node.firstElementChild;
      depth += 1;
      continue;
    }
    while (node && !node.nextElementSibling) {
      node = node.parentElement;
      depth -= 1;
    }
    node = node?.nextElementSibling ?? null;
  }
  return document;
}

/** Parses a separate document, since Readability modifies it. */
function readArticle(html: string) {
  const document = parseHtmlPage(html);
  const article = new Readability(document).parse();
  return article?.textContent?.trim() ? article : undefined;
}

function wholeBody(document: HtmlPage): string {
  for (const part of document.querySelectorAll(CHROME)) part.remove();
  return document.body.innerHTML;
}

/** Base of relative links (HTML standard: the first base with an address). */
function baseOf(document: HtmlPage, url: URL): URL {
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url.href);
  return base && isWebAddress(base) ? base : url;
}

function isWebAddress({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function makeLinksAbsolute(document: HtmlPage, url: URL): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const target = URL.parse(link.getAttribute('href')!, url.href);
    if (target && isWebAddress(target)) link.setAttribute('href', target.href);
    else link.removeAttribute('href');
  }
}

function toMarkdown(html: string): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  turndown.addRule('cell', { filter: ['td', 'th'], replacement: (text) => `${foldSpace(text)} | ` });
  turndown.addRule('row', { filter: 'tr', replacement: (cells) => `${cells.replace(/ \| $/, '')}\n` });
  // Turndown's own parser does not support Node; a parsed tree works as well.
  return turndown.turndown(parseHtmlPage(html).body).trim();
}
