import { Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { foldSpace, type HtmlPage, parseHtmlPage } from '../parseHtmlPage.ts';

/** Elements that no reader wants, where Readability finds no article. */
const CHROME = 'head, script, style, template, noscript, iframe, nav, svg';
/** What has no words, or repeats the title. */
const WORDLESS = 'img, picture, video, audio, canvas, object, embed, body title';

/**
 * The readable part of a page as Markdown, its title first: Readability's article, or the whole body of a page
 * in which it finds none. Links are absolute; images are left out. Empty for a page without text.
 */
export function htmlToText(html: string, url: URL): string {
  const document = parseHtmlPage(html);
  const title = foldSpace(document.querySelector('title')?.textContent);
  for (const part of document.querySelectorAll(WORDLESS)) part.remove();
  makeLinksAbsolute(document, baseOf(document, url));
  const article = readArticle(document.toString());
  const body = toMarkdown(article?.content || wholeBody(document));
  const heading = article?.title ? foldSpace(article.title) : title;
  return [...(heading && body ? [`# ${heading}`] : []), body].filter((part) => part !== '').join('\n\n');
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
