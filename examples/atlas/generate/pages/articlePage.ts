import { type Article, namePiece } from '../prose/writeArticle.ts';
import { type Atlas, type Entity, factOf, type Kind } from '../world/entity.ts';
import { createRandom } from '../world/random.ts';
import { escapeHtml, link, pageHtml, paragraphHtml } from './html.ts';

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

/** What the table on each kind of page lists, and how a row is headed and its value written. */
const rows: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  island: {
    sea: 'Waters',
    area: 'Area (km²)',
    capital: 'Capital',
    population: 'Population',
    peak: 'Highest point',
    height: 'Height (m)',
    navigator: 'Charted by',
    charted: 'First chart',
  },
  town: {
    island: 'Island',
    founded: 'Founded',
    founder: 'Founder',
    population: 'Population',
    craft: 'Known for',
  },
  person: {
    born: 'Born',
    birthplace: 'Place of birth',
    died: 'Died',
    occupation: 'Occupation',
    teacher: 'Teacher',
  },
  company: {
    industry: 'Industry',
    seat: 'Head office',
    founded: 'Set up',
    founder: 'Founder',
    employees: 'Employees',
  },
  ship: {
    type: 'Type',
    length: 'Length (m)',
    builder: 'Builder',
    launched: 'Launched',
    port: 'Home port',
    captain: 'First captain',
  },
  festival: { town: 'Place', month: 'Month', first_held: 'First held', founder: 'Founder' },
  lighthouse: { island: 'Island', height: 'Height (m)', built: 'First lit', architect: 'Architect' },
  book: {
    author: 'Author',
    genre: 'Genre',
    published: 'Published',
    publisher: 'Publisher',
    subject: 'Setting',
  },
  college: { town: 'Town', specialty: 'Teaches', opened: 'Opened', founder: 'Founder' },
};

/** The rows of an entity's table: fact name, heading. Facts that it lacks are left out. */
function infoboxRows(entity: Entity): readonly (readonly [fact: string, heading: string])[] {
  return Object.entries(rows[entity.kind]).filter(([fact]) => entity.facts[fact] !== undefined);
}
