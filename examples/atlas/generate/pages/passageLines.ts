import { type Article, paragraphText } from '../prose/writeArticle.ts';
import type { Entity } from '../world/entity.ts';

/** A passage of the encyclopedia, in the layout of the wiki-18 dump. */
export interface Passage {
  readonly id: string;
  /** `"Title"`, a line feed, the text. */
  readonly contents: string;
}

/** The passages of an article: its facts, and what else it tells. Notes by readers come with the first. */
export function passagesOf(entity: Entity, article: Article, notes: readonly string[]): Passage[] {
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
