import { readerNotes } from '../prose/readerNotes.ts';
import { writeArticle } from '../prose/writeArticle.ts';
import type { Atlas } from '../world/entity.ts';
import { articlePage } from './articlePage.ts';
import { listPages } from './listPages.ts';
import { passagesOf } from './passageLines.ts';

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
