import { readerNotes } from '../prose/readerNotes.ts';
import { type Article, paragraphText, writeArticle } from '../prose/writeArticle.ts';
import { type Atlas, type Entity, kinds } from '../world/entity.ts';
import { articlePage } from './articlePage.ts';
import { escapeHtml, link, pageHtml, sections } from './html.ts';

/** The site and the encyclopedia that describe a world, by path from `examples/`. */
export function atlasFiles(atlas: Atlas, seed: string): Map<string, string> {
  const files = new Map<string, string>();
  const passages: string[] = [];
  for (const [page, html] of listPages(atlas)) files.set(`atlas/site/${page}`, html);
  [...atlas.values()].forEach((entity, place) => {
    const article = writeArticle(atlas, entity, seed);
    const notes = readerNotes(place, seed);
    files.set(`atlas/site/${entity.slug}.html`, articlePage(atlas, entity, article, notes, seed));
    for (const passage of passagesOf(entity, article, notes)) passages.push(JSON.stringify(passage));
  });
  return files.set('atlas/passages.jsonl', `${passages.join('\n')}\n`);
}

/** A passage of the encyclopedia, in the layout of the wiki-18 dump. */
interface Passage {
  readonly id: string;
  /** `"Title"`, a line feed, the text. */
  readonly contents: string;
}

/** The passages of an article: its facts, and what else it tells. Notes by readers come with the first. */
function passagesOf(entity: Entity, article: Article, notes: readonly string[]): Passage[] {
  const passage = (part: string, text: string): Passage => ({
    id: `${entity.slug}-${part}`,
    contents: `"${entity.name}"\n${text}`,
  });
  const quoted = notes.map((note) => ` A reader's note: ${note}`).join('');
  return [
    passage('1', `${paragraphText(article.lead)}${quoted}`),
    ...(hasSecondPassage.has(entity.kind) ? [passage('2', paragraphText(article.more))] : []),
  ];
}

/** Kinds of which the encyclopedia keeps the second half as well. */
const hasSecondPassage: ReadonlySet<Entity['kind']> = new Set([
  'island',
  'town',
  'book',
  'college',
  'festival',
]);

/** The pages that lead to the others: the front page and one list a kind, by file name. */
function listPages(atlas: Atlas): Map<string, string> {
  const lists = sections.map(([page, name], at) => {
    const entities = [...atlas.values()].filter((entity) => entity.kind === kinds[at]);
    return [`${page}.html`, listPage(`Contents, part ${at + 1}`, name, entities)] as const;
  });
  return new Map([['index.html', frontPage(atlas)], ...lists]);
}

/** The title keeps from naming the kind, or searches for any ship would find the list of ships first. */
function listPage(title: string, name: string, entities: readonly Entity[]): string {
  const items = entities.map((entity) => `<li>${link(entity.slug, entity.name)}</li>`);
  return pageHtml(
    `${title} - The Sarrow Atlas`,
    [],
    [`<h1>${escapeHtml(name)}</h1>`, '<ul>', ...items, '</ul>'],
  );
}

function frontPage(atlas: Atlas): string {
  return pageHtml(
    'The Sarrow Atlas',
    [],
    [
      '<h1>The Sarrow Atlas</h1>',
      `<p>A reference work on the islands between the Pale Sea and the Outer Sound, in ${atlas.size} articles.</p>`,
    ],
  );
}
