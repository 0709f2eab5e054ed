import { contentId } from '../../../base/ids.ts';
import type { Fact } from '../../../schemas/taskSynthesis.ts';
import {
  documentSchema,
  hashedText,
  placedFact,
  type SourceDocument,
} from '../../../synthesis/records/fact.ts';
import { createAtlas } from '../atlas/createAtlas.ts';
import type { Fact as AtlasFact } from '../atlas/entity.ts';
import { plainText } from '../atlas/fill.ts';
import { paragraphText, writeArticle } from '../atlas/writeArticle.ts';

/** What is true in a world, and the page that says it. */
export interface WorldTriple {
  readonly subject: string;
  readonly relation: string;
  readonly value: string;
  readonly page: string;
}

/** A generated world: what is true in it, and documents with what a perfect reader proposes of them. */
export interface World {
  readonly triples: readonly WorldTriple[];
  readonly documents: ReadonlyMap<string, SourceDocument>;
  readonly facts: readonly Fact[];
}

/** A world by its seed: a page an entity, and a passage with the first half of the page. */
export function createWorld(seed: string): World {
  const atlas = createAtlas(seed);
  const triples: WorldTriple[] = [];
  const documents = new Map<string, SourceDocument>();
  const facts: Fact[] = [];
  for (const entity of atlas.values()) {
    const { lead, more } = writeArticle(atlas, entity, seed);
    const page = documentOf(
      `${entity.slug}.html`,
      entity.name,
      `${entity.name}\n${paragraphText(lead)} ${paragraphText(more)}`,
    );
    const passage = documentOf(`passage:${entity.slug}-1`, entity.name, paragraphText(lead));
    for (const document of [page, passage]) documents.set(document.address, document);
    for (const [relation, fact] of Object.entries(entity.facts)) {
      const quote = lead.map(plainText).find((sentence) => holds(sentence, fact.value));
      if (relation === 'pronoun' || quote === undefined) continue;
      const { name: subject } = entity;
      triples.push({ subject, relation, value: fact.value, page: page.address });
      const proposed = { subject, relation: wordsOf(relation), value: fact.value, type: typeOf(fact), quote };
      facts.push(placedFact(proposed, page), placedFact(proposed, passage));
    }
  }
  return { triples: triples.map((one) => ({ ...one, relation: wordsOf(one.relation) })), documents, facts };
}

/** A document of a text. */
export function documentOf(address: string, title: string, text: string): SourceDocument {
  const hashed = hashedText(text);
  return documentSchema.parse({
    id: contentId('document', { address, sha256: hashed.sha256 }),
    title,
    address,
    ...hashed,
  });
}

function holds(sentence: string, value: string): boolean {
  const at = sentence.indexOf(value);
  return at >= 0 && !/[\p{L}\p{N}]/u.test(`${sentence[at - 1] ?? ''}${sentence[at + value.length] ?? ''}`);
}

function wordsOf(relation: string): string {
  return relation.replaceAll('_', ' ');
}

function typeOf({ value, page }: AtlasFact): Fact['type'] {
  if (page !== undefined) return 'entity';
  if (/^[\d,]+$/.test(value)) return 'number';
  return /^\d+ \p{L}+ \d{4}$/u.test(value) ? 'date' : 'text';
}
