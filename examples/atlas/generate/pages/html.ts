import type { Piece } from '../prose/fill.ts';
import type { Paragraph } from '../prose/writeArticle.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

/** A link to a page of the site. */
export function link(page: string, text: string): string {
  return `<a href="${page}.html">${escapeHtml(text)}</a>`;
}

/** Sentences as a `<p>` element. */
export function paragraphHtml(paragraph: Paragraph): string {
  return `<p>${paragraph.map((sentence) => sentence.map(pieceHtml).join('')).join(' ')}</p>`;
}

/** The whole page around its content. */
export function pageHtml(title: string, head: readonly string[], content: readonly string[]): string {
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escapeHtml(title)}</title>`,
    ...head,
    '</head>',
    '<body>',
    `<nav><a href="index.html">The Sarrow Atlas</a> · ${sections.map(([page, name]) => link(page, name)).join(' · ')}</nav>`,
    '<main>',
    ...content,
    '</main>',
    '<footer><p>The Sarrow Atlas describes an archipelago that does not exist. Text and facts are made up.</p></footer>',
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

/** The atlas's sections: page and name. */
export const sections: readonly (readonly [page: string, name: string])[] = [
  ['all-islands', 'Islands'],
  ['all-towns', 'Towns'],
  ['all-people', 'People'],
  ['all-companies', 'Companies'],
  ['all-ships', 'Ships'],
  ['all-festivals', 'Festivals'],
  ['all-lighthouses', 'Lighthouses'],
  ['all-books', 'Books'],
  ['all-colleges', 'Schools'],
];

function pieceHtml({ text, page, work }: Piece): string {
  const name = page === undefined ? escapeHtml(text) : link(page, text);
  return work ? `<i>${name}</i>` : name;
}
