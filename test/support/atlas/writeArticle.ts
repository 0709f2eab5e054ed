import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import { colour } from './colour.ts';
import { type Atlas, type Entity, factOf } from './entity.ts';
import { fill, type Piece, plainText } from './fill.ts';
import { leadSentences } from './leadSentences.ts';

/** Sentences in order. */
export type Paragraph = readonly (readonly Piece[])[];

/** What is written about an entity. */
export interface Article {
  /** States the facts. */
  readonly lead: Paragraph;
  /** Tells more, without facts that anyone asks for. */
  readonly more: Paragraph;
}

/** Fewest words of a paragraph; passages hold about 60 to 100. */
const minWords = 62;

const pronouns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  she: { He: 'She', he: 'she', His: 'Her', his: 'her', him: 'her' },
  he: { He: 'He', he: 'he', His: 'His', his: 'his', him: 'him' },
};

/** Writes about an entity: each fact in one of several ways, then what else there is to tell. */
export function writeArticle(atlas: Atlas, entity: Entity, seed: string): Article {
  const random = createRandom(`${seed}/article/${entity.slug}`);
  const write = (template: string) => fill(template, slotsOf(atlas, entity, random));
  const facts = leadSentences[entity.kind]
    .map((variants) => random.pick(variants))
    .filter((v) => isTold(entity, v));
  const spare = random.shuffle(colour[entity.kind]);
  const lead = facts.map(write);
  while (wordCount(lead) < minWords) lead.push(write(spare.shift()!));
  const more: Piece[][] = [];
  while (wordCount(more) < minWords) more.push(write(spare.shift()!));
  return { lead, more };
}

/** The words of a paragraph, without links. */
export function paragraphText(paragraph: Paragraph): string {
  return paragraph.map(plainText).join(' ');
}

/** How a name is written in the middle of a text. */
export function namePiece(entity: Entity, page?: string): Piece {
  const work = entity.kind === 'ship' || entity.kind === 'book';
  return { text: entity.name, ...(page !== undefined && { page }), ...(work && { work }) };
}

/** The oldest people have no teacher, so the sentence about it is left out. */
function isTold(entity: Entity, variant: string): boolean {
  return !variant.includes('{teacher}') || entity.facts.teacher !== undefined;
}

function slotsOf(atlas: Atlas, entity: Entity, random: Random): (slot: string) => Piece {
  const other = (kind: Entity['kind']) => {
    const all = [...atlas.values()].filter((one) => one.kind === kind && one.slug !== entity.slug);
    return random.pick(all);
  };
  return (slot) => {
    if (slot === 'name') return namePiece(entity);
    if (slot === 'n') return { text: String(random.int(3, 19)) };
    if (slot === 'month') return { text: random.pick(['March', 'May', 'July', 'October', 'November']) };
    if (slot === 'town2' || slot === 'island2') {
      const place = other(slot === 'town2' ? 'town' : 'island');
      return namePiece(place, place.slug);
    }
    const pronoun = pronouns[entity.facts.pronoun?.value ?? 'he']?.[slot];
    if (pronoun !== undefined && entity.kind === 'person') return { text: pronoun };
    const { value, page } = factOf(entity, slot);
    return page === undefined ? { text: value } : { text: value, page };
  };
}

function wordCount(paragraph: Paragraph): number {
  return paragraphText(paragraph).split(' ').filter(Boolean).length;
}
