import { type Atlas, type Entity, kinds } from '../world/entity.ts';
import { escapeHtml, link, pageHtml, sections } from './html.ts';

/** The pages that lead to the others: the front page and one list a kind, by file name. */
export function listPages(atlas: Atlas): Map<string, string> {
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
