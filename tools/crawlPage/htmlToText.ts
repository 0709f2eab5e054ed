import { Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { foldSpace, type HtmlPage, parseHtmlPage } from '../parseHtmlPage.ts';

/** Elements that no reader wants, where Readability finds no article. */
const CHROME = 'head, script, style, template, noscript, iframe, nav, svg';
/** What has no words, or repeats the title. */
const WORDLESS = 'img, picture, video, audio, canvas, object, embed, body title';

/** Thrown for a page that would take minutes: reading time grows with the cube of the depth. */
export class TooDeep extends Error {}

/** Elements within each other; pages that people read have 60 at most. */
const MAX_DEPTH = 500;

/**
 * The readable part of a page as Markdown, its title first: Readability's article, or the whole body of a page
 * in which it finds none. Links are absolute; images are left out. Empty for a page without text.
 *
 * @throws TooDeep
 */
export function htmlToText(html: string, url: URL): string {
  const document = parseShallow(html);
  const title = foldSpace(document.querySelector('title')?.textContent);
  for (const part of document.querySelectorAll(WORDLESS)) part.remove();
  makeLinksAbsolute(document, baseOf(document, url));
  const article = readArticle(document.toString());
  const body = toMarkdown(article?.content || wholeBody(document));
  const heading = article?.title ? foldSpace(article.title) : title;
  return [...(heading && body ? [`# ${heading}`] : []), body].filter((part) => part !== '').join('\n\n');
}

/** The first heading of a page, or the title of its window, which names the site too. */
export function htmlTitle(html: string): string {
  const document = parseHtmlPage(html);
  const textOf = (selector: string) => foldSpace(document.querySelector(selector)?.textContent);
  return textOf('h1') || textOf('title');
}

/** What is not the page's own text, for a search. */
const UNSEARCHED = 'title, script, style, template, noscript, nav, footer';
/** What parts words even without white space between the tags. */
const BLOCKS =
  'p, div, section, article, header, li, dt, dd, tr, td, th, caption, h1, h2, h3, h4, h5, h6, br, pre';

/** What a search over a site reads of a page. */
export interface HtmlWords {
  readonly title: string;
  readonly text: string;
  /** Content of `<meta name="date">`; empty where the page has none. */
  readonly date: string;
  /** Content of `<meta name="author">`; empty where the page has none. */
  readonly source: string;
}

/**
 * The words of a page, white space folded, and the title of its window.
 *
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

/** Readability takes a document apart, so it gets one of its own. */
function readArticle(html: string) {
  const document = parseHtmlPage(html);
  const article = new Readability(document).parse();
  return article?.textContent?.trim() ? article : undefined;
}

function wholeBody(document: HtmlPage): string {
  for (const part of document.querySelectorAll(CHROME)) part.remove();
  return document.body.innerHTML;
}

/** Where relative links begin (HTML standard: the first base that has an address). */
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
  // Turndown's own parser is not made for Node; it takes a parsed tree just as well.
  return turndown.turndown(parseHtmlPage(html).body).trim();
}
