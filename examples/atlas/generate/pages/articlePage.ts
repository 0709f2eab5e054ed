import { type Article, namePiece } from '../prose/writeArticle.ts';
import { type Atlas, type Entity, factOf } from '../world/entity.ts';
import { createRandom } from '../world/random.ts';
import { escapeHtml, link, pageHtml, paragraphHtml } from './html.ts';
import { infoboxRows } from './infobox.ts';

/** Most entries under "See also". */
const maxRelated = 12;

const moreHeadings = [
  'Stories and customs',
  'Background',
  'Remarks',
  'What people say',
  'From the notebooks',
];

/** An entity's page. */
export function articlePage(
  atlas: Atlas,
  entity: Entity,
  article: Article,
  notes: readonly string[],
  seed: string,
): string {
  const random = createRandom(`${seed}/page/${entity.slug}`);
  const day = `${random.int(2011, 2024)}-${twoDigits(random.int(1, 12))}-${twoDigits(random.int(1, 28))}`;
  // Some pages say when they were written, or by whom, as on the open web.
  const head = [
    ...(random.int(0, 2) > 0 ? [`<meta name="date" content="${day}">`] : []),
    ...(random.int(0, 2) === 0 ? ['<meta name="author" content="The Sarrow Atlas">'] : []),
  ];
  return pageHtml(`${entity.name} - The Sarrow Atlas`, head, [
    '<article>',
    `<h1>${escapeHtml(entity.name)}</h1>`,
    infobox(entity),
    paragraphHtml(article.lead),
    `<h2>${random.pick(moreHeadings)}</h2>`,
    paragraphHtml(article.more),
    ...notesSection(notes),
    ...relatedSection(atlas, entity),
    '</article>',
  ]);
}

function infobox(entity: Entity): string {
  const rows = infoboxRows(entity).map(([fact, heading]) => {
    const { value, page } = factOf(entity, fact);
    const cell = page === undefined ? escapeHtml(value) : link(page, value);
    return `<tr><th>${heading}</th><td>${cell}</td></tr>`;
  });
  return `<table class="infobox">\n${rows.join('\n')}\n</table>`;
}

function notesSection(notes: readonly string[]): string[] {
  if (notes.length === 0) return [];
  return [
    "<h2>Readers' notes</h2>",
    ...notes.map((note) => `<blockquote><p>${escapeHtml(note)}</p></blockquote>`),
  ];
}

/** Pages whose facts name this one. */
function relatedSection(atlas: Atlas, entity: Entity): string[] {
  const related = [...atlas.values()].filter((other) =>
    Object.values(other.facts).some((fact) => fact.page === entity.slug),
  );
  if (related.length === 0) return [];
  const items = related
    .slice(0, maxRelated)
    .map((other) => `<li>${link(other.slug, namePiece(other).text)}</li>`);
  return ['<h2>See also</h2>', '<ul>', ...items, '</ul>'];
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
