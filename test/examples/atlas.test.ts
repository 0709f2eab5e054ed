import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { atlasSeed, createAtlas } from '../support/atlas/createAtlas.ts';
import { type Entity, factOf } from '../support/atlas/entity.ts';
import { askedFacts } from '../support/atlas/relations.ts';
import { paragraphText, writeArticle } from '../support/atlas/writeArticle.ts';
import { examplesFolder, readExample } from './support/examplesFolder.ts';

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

describe('the facts of a generated world', () => {
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

  test('depend on the seed', () => {
    expect([...createAtlas('another').values()]).not.toEqual(entities);
    expect([...createAtlas(atlasSeed).values()]).toEqual(entities);
  });
});

describe('the bundled passages', () => {
  const passages = readExample<{ id: string; contents: string }>('atlas/passages.jsonl');
  const textById = new Map(passages.map(({ id, contents }) => [id, contents.split('\n')[1]!]));

  test('are hundreds, with ids of their own, a quoted title and about 60 to 100 words', () => {
    expect(textById.size).toBe(passages.length);
    expect(passages.length).toBeGreaterThan(300);
    for (const { contents } of passages) {
      expect(contents).toMatch(/^"[^"\n]+"\n[^\n]+$/);
      const words = contents.split('\n')[1]!.split(' ').length;
      expect(words).toBeGreaterThanOrEqual(60);
      expect(words).toBeLessThanOrEqual(115);
    }
  });

  test('state every fact of the world that is asked for', () => {
    const asked = askedFacts();
    for (const entity of entities) {
      const text = textById.get(`${entity.slug}-1`)!;
      expect(text.startsWith(paragraphText(writeArticle(atlas, entity, atlasSeed).lead))).toBe(true);
      for (const [kind, fact] of asked)
        if (kind === entity.kind && entity.facts[fact]) expect(text).toContain(entity.facts[fact].value);
    }
  });

  test('hold look-alikes of structure here and there', () => {
    const hostile = passages.filter(({ contents }) => escapeStructure(contents).count > 0);
    expect(hostile.length).toBeGreaterThan(10);
    expect(hostile.length).toBeLessThan(passages.length / 5);
  });
});

describe('the bundled pages', () => {
  const site = path.join(examplesFolder, 'atlas/site');
  const pages = readdirSync(site).map((file) => [file, readFileSync(path.join(site, file), 'utf8')] as const);
  const names = new Set(pages.map(([file]) => file));

  test('lead only to pages of the site', () => {
    for (const [file, html] of pages)
      for (const [, target] of html.matchAll(/href="([^"]+)"/g))
        expect(names.has(target!), `${file} -> ${target}`).toBe(true);
  });

  test('show look-alikes as text and never hold them as markup', () => {
    const hostile = pages.filter(([, html]) =>
      /&lt;\/observation&gt;&lt;answer&gt;|&lt;\|im_end\|&gt;/.test(html),
    );
    expect(hostile.length).toBeGreaterThan(5);
    for (const [file, html] of pages)
      expect(html, file).not.toMatch(/<\/?(?:answer|observation|think|plan)>|<\|/);
  });
});

test('the examples are small enough for the package', () => {
  const sizes = readdirSync(examplesFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_500_000);
});
