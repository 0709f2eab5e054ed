import { expect, test } from 'vitest';
import { htmlToText } from '../../../tools/crawlPage/htmlToText.ts';

/*
 * Pages of many kinds: every cell, item and paragraph of the main content is shown, and nothing of what is around it.
 */

const rows = (count: number, isLong: (at: number) => boolean) =>
  Array.from({ length: count }, (_, at) => {
    const cell = isLong(at)
      ? `a longer cell of want-${at}-value, with several words in it`
      : `want-${at}-value`;
    return `<tr><th>want-label-${at}</th><td>${cell}</td></tr>`;
  }).join('');
const table = (count: number, isLong: (at: number) => boolean = () => false, more = '') =>
  `<table ${more}>${rows(count, isLong)}</table>`;
const list = (count: number, tag = 'ul') =>
  `<${tag}>${Array.from({ length: count }, (_, at) => `<li>want-item-${at} of a kind</li>`).join('')}</${tag}>`;
const terms = (count: number) =>
  `<dl>${Array.from({ length: count }, (_, at) => `<dt>want-term-${at}</dt><dd>want-meaning-${at}</dd>`).join('')}</dl>`;
const prose = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `<p>Paragraph want-prose-${at} says at some length, with commas, clauses and all, what became of the harbour, the ferry and its crew in that year.</p>`,
  ).join('');
const posts = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `<div class="post"><div class="author">want-author-${at}</div><div class="message"><p>Reply want-reply-${at}: it works for me when the cable is plugged in, did you try that?</p></div></div>`,
  ).join('');
const code = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `<h2>want-function-${at}</h2><pre><code>call(want_code_${at})</code></pre>`,
  ).join('');

const contents: Readonly<Record<string, string>> = {
  'an infobox beside prose': `<table class="infobox">${rows(6, (at) => at === 2)}</table>${prose(6)}`,
  'an infobox alone': `<table class="infobox">${rows(3, (at) => at === 1)}</table>`,
  'a table of short cells': table(20),
  'a table with one long cell': table(60, (at) => at === 7),
  'a table of long cells': table(20, () => true),
  'a table behind a sentence': `<p>The table of want-prose-0, as it was in the year of the survey, by label.</p>${table(12)}`,
  'a list': list(30),
  'a numbered list with a closing line': `${list(20, 'ol')}<p>One closing paragraph want-prose-0 of more than twenty-five characters.</p>`,
  'a definition list': terms(12),
  'definitions behind prose': `${prose(2)}${terms(8)}`,
  'a news article': prose(12),
  'an article with a list': `${prose(4)}${list(6)}${prose(4)}`,
  'a forum': posts(8),
  'a page of code': code(6),
  'tables within tables': `<table><tr><td>${table(4)}</td><td><table><tr><td>want-inner-left</td><td>want-inner-right, with a longer text in it</td></tr></table></td></tr></table>`,
  'lists within lists': `<ul><li>want-outer ${list(4)}</li><li>want-second</li></ul>`,
  'a wiki export': `<div id="bodyContent"><div class="mw-parser-output"><table class="infobox vcard">${rows(5, () => false)}</table>${prose(3)}<h2>want-heading</h2>${list(5)}<table class="wikitable">${rows(8, (at) => at === 3)}</table></div></div>`,
  'text in divisions': Array.from(
    { length: 5 },
    (_, at) => `<div>want-division-${at}<p>and its text, long enough to be read by anybody</p></div>`,
  ).join(''),
  'a quotation': `<blockquote><p>want-quoted words of somebody, long enough to be taken for an article by themselves.</p></blockquote>${list(4)}`,
  'a list of links': `<ul>${Array.from({ length: 12 }, (_, at) => `<li><a href="/p/${at}">want-linked-${at}</a></li>`).join('')}</ul>`,
  'a list of links behind prose': `${prose(3)}<h2>want-see</h2><ul>${Array.from({ length: 6 }, (_, at) => `<li><a href="/p/${at}">want-linked-${at}</a> (want-year-${at})</li>`).join('')}</ul>`,
  'a table with head, foot and caption': `<table><caption>want-caption</caption><thead><tr><th>want-head-a</th><th>want-head-b</th></tr></thead><tfoot><tr><td colspan="2">want-foot</td></tr></tfoot><tbody>${rows(9, (at) => at === 4)}</tbody></table>`,
  'an infobox with lists in its cells': `<table class="infobox"><tr><th>want-builders</th><td><ul><li>want-first</li><li>want-other</li></ul></td></tr>${rows(4, () => false)}</table>${prose(2)}`,
  'lines of code with numbers': `<table class="highlight">${Array.from({ length: 8 }, (_, at) => `<tr><td class="num">${at}</td><td class="code"><pre>want_line_${at} = ${at}</pre></td></tr>`).join('')}</table>`,
  'a figure with its caption': `${prose(2)}<figure><img src="a.png" alt="x"><figcaption>want-caption of the figure</figcaption></figure>${prose(2)}`,
  'a forum of tables': `<table class="forum">${Array.from({ length: 6 }, (_, at) => `<tr><td class="user">want-author-${at}</td><td><p>want-post-${at}: short.</p><blockquote>want-quote-${at}</blockquote></td></tr>`).join('')}</table>`,
  'sections of definitions': `<section><h2>want-heading-a</h2>${terms(4)}</section><section><h2>want-heading-b</h2>${list(3)}</section>`,
  'questions that open': Array.from(
    { length: 5 },
    (_, at) =>
      `<details><summary>want-question-${at}</summary><p>want-reply-${at} in a few words.</p></details>`,
  ).join(''),
  'a table of pictures and words': `<table><tr><td><img src="a.png"></td><td>want-beside-picture</td></tr><tr><td>want-below</td><td></td></tr></table>`,
};

const menu = `<ul>${['Home', 'About', 'Contact'].map((word) => `<li><a href="/${word}">unwanted-${word}</a></li>`).join('')}</ul>`;
/** Pages around the content. */
const frames: Readonly<Record<string, (content: string) => string>> = {
  landmarks: (content) =>
    `<header>unwanted-header${menu}</header><nav>${menu}</nav><main><article><h1>Name</h1>${content}</article></main><aside>unwanted-aside</aside><footer>unwanted-footer</footer>`,
  'a wiki': (content) =>
    `<div id="mw-navigation"><div id="mw-panel" role="navigation">${menu}</div></div><div id="content" role="main"><h1 id="firstHeading">Name</h1><div id="bodyContent">${content}</div></div><div id="footer" role="contentinfo">unwanted-footer${menu}</div>`,
  'no frame': (content) => `<h1>Name</h1>${content}`,
  names: (content) =>
    `<div id="navbar">${menu}</div><div class="breadcrumb">unwanted-crumb</div><div id="content"><h1>Name</h1>${content}</div><div class="footer">unwanted-footer ${menu}</div>`,
};

const pages = Object.keys(frames).flatMap((frame) =>
  Object.keys(contents).map((content) => [content, frame] as const),
);

test.each(pages)('%s is shown whole, without what is around it (%s)', (content, frame) => {
  const inner = contents[content]!;
  const html = `<!doctype html><html><head><title>Name - Site</title></head><body>${frames[frame]!(inner)}</body></html>`;
  const text = htmlToText(html, new URL('http://site.example/page'));
  const wanted = new Set(inner.match(/want[-_][\w-]+/g));
  expect([...wanted].filter((word) => !text.replaceAll('\\', '').includes(word))).toEqual([]);
  expect(text).not.toContain('unwanted');
});
