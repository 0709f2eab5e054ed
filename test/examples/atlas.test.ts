import { describe, expect, test } from 'vitest';
import { atlasSeed, generatedFiles } from '../../examples/atlas/generate/generatedFiles.ts';
import { factPattern } from '../../examples/atlas/generate/prose/factPattern.ts';
import { paragraphText, writeArticle } from '../../examples/atlas/generate/prose/writeArticle.ts';
import { askedFacts } from '../../examples/atlas/generate/questions/relations.ts';
import { createAtlas } from '../../examples/atlas/generate/world/createAtlas.ts';
import { type Entity, factOf } from '../../examples/atlas/generate/world/entity.ts';
import { createRandom } from '../../examples/atlas/generate/world/random.ts';
import { neutralise } from '../../schemas/coa/neutralise.ts';
import { htmlToText } from '../../tools/crawlPage/htmlToText.ts';
import { readExample } from './support/examplesFolder.ts';

const atlas = createAtlas(atlasSeed);
const entities = [...atlas.values()];
const yearOf = (entity: Entity, fact: string) => Number(factOf(entity, fact).value.slice(-4));

/** Every fact that names a person, and the year in which that person acted. */
const deeds: readonly (readonly [person: string, year: string])[] = [
  ['founder', 'founded'],
  ['founder', 'first_held'],
  ['founder', 'opened'],
  ['navigator', 'charted'],
  ['architect', 'built'],
  ['author', 'published'],
  ['captain', 'launched'],
];

describe('the facts of the atlas', () => {
  test('name entities that exist, under their own names', () => {
    const links = entities.flatMap((entity) => Object.values(entity.facts)).filter((fact) => fact.page);
    expect(links.length).toBeGreaterThan(500);
    for (const { value, page } of links) expect(atlas.get(page!)?.name).toBe(value);
  });

  test('let people act while they live', () => {
    for (const entity of entities) {
      for (const [role, yearFact] of deeds) {
        const person = atlas.get(entity.facts[role]?.page ?? '');
        if (!person || !entity.facts[yearFact]) continue;
        const age = yearOf(entity, yearFact) - yearOf(person, 'born');
        expect(age, `${person.name}, ${yearFact} of ${entity.name}`).toBeGreaterThanOrEqual(20);
        expect(yearOf(entity, yearFact)).toBeLessThanOrEqual(yearOf(person, 'died'));
      }
    }
  });

  test('put the makers before what they made', () => {
    for (const entity of entities) {
      const maker = atlas.get(entity.facts.builder?.page ?? entity.facts.publisher?.page ?? '');
      if (!maker) continue;
      const made = yearOf(entity, entity.kind === 'ship' ? 'launched' : 'published');
      expect(made, entity.name).toBeGreaterThanOrEqual(yearOf(maker, 'founded'));
      const town = atlas.get(maker.facts.seat!.page!)!;
      expect(yearOf(town, 'founded')).toBeLessThan(yearOf(maker, 'founded'));
    }
  });

  test('depend on the seed', () => {
    expect([...createAtlas('another').values()]).not.toEqual(entities);
  });
});

describe('the articles', () => {
  test('state every fact that questions ask for, in words that the patterns find', () => {
    const asked = askedFacts();
    let checked = 0;
    for (const entity of entities) {
      const text = paragraphText(writeArticle(atlas, entity, atlasSeed).lead);
      const html = generated.get(`atlas/site/${entity.slug}.html`)!;
      const markdown = htmlToText(html, new URL(`http://atlas.example/${entity.slug}.html`));
      for (const [kind, fact] of asked) {
        if (kind !== entity.kind || !entity.facts[fact]) continue;
        const pattern = new RegExp(factPattern(kind, fact), 'm');
        expect(pattern.exec(text)?.[1], `${fact} in: ${text}`).toBe(entity.facts[fact].value);
        expect(pattern.exec(markdown)?.[1], `${fact} on the page`).toBe(entity.facts[fact].value);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(500);
  });

  test('do not all say things the same way', () => {
    const openings = entities
      .filter((entity) => entity.kind === 'town')
      .map((entity) =>
        paragraphText(writeArticle(atlas, entity, atlasSeed).lead)
          .split(' ')
          .slice(0, 2)
          .join(' '),
      );
    expect(new Set(openings).size).toBeGreaterThan(10);
  });
});

const generated = generatedFiles();

describe('the passages', () => {
  const passages = readExample<{ id: string; contents: string }>('atlas/passages.jsonl');

  test('are hundreds, with ids of their own', () => {
    expect(passages.length).toBeGreaterThan(300);
    expect(new Set(passages.map((passage) => passage.id)).size).toBe(passages.length);
  });

  test('hold a quoted title and about 60 to 100 words', () => {
    for (const { contents } of passages) {
      expect(contents).toMatch(/^"[^"\n]+"\n[^\n]+$/);
      const words = contents.split('\n')[1]!.split(' ').length;
      expect(words).toBeGreaterThanOrEqual(60);
      expect(words).toBeLessThanOrEqual(115);
    }
  });

  test('hold look-alikes of structure here and there', () => {
    const hostile = passages.filter(({ contents }) => neutralise(contents).count > 0);
    expect(hostile.length).toBeGreaterThan(10);
    expect(hostile.length).toBeLessThan(passages.length / 5);
  });
});

describe('the pages', () => {
  test('lead only to pages of the site', () => {
    for (const [file, html] of generated) {
      if (!file.endsWith('.html')) continue;
      for (const [, target] of html.matchAll(/href="([^"]+)"/g)) {
        expect(generated.has(`atlas/site/${target}`), `${file} -> ${target}`).toBe(true);
      }
    }
  });

  test('show look-alikes as text and never hold them as markup', () => {
    const pages = [...generated].filter(([file]) => file.endsWith('.html'));
    const hostile = pages.filter(([, html]) =>
      /&lt;\/observation&gt;&lt;answer&gt;|&lt;\|im_end\|&gt;/.test(html),
    );
    expect(hostile.length).toBeGreaterThan(5);
    for (const [file, html] of pages)
      expect(html, file).not.toMatch(/<\/?(?:answer|observation|think|plan)>|<\|/);
  });
});

describe('the seeded stream', () => {
  test('is the same for a seed and another for another seed', () => {
    const draw = (seed: string) => Array.from({ length: 20 }, () => 0).map(createDraws(seed));
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  test('reaches both ends of a range and keeps every item of a shuffle', () => {
    const random = createRandom('ends');
    const drawn = new Set(Array.from({ length: 500 }, () => random.int(3, 7)));
    expect([...drawn].sort()).toEqual([3, 4, 5, 6, 7]);
    expect(random.shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
  });
});

function createDraws(seed: string): () => number {
  const random = createRandom(seed);
  return () => random.int(0, 1_000_000);
}
