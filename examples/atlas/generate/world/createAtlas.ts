import type { Atlas, Entity } from './entity.ts';
import { createLaterPeople, createPioneers, generations } from './people.ts';
import { createIslands, createTowns, withTowns } from './places.ts';
import * as ventures from './ventures.ts';

/** Makes the whole world from a seed. Its facts agree with each other: nobody founds a town before being born. */
export function createAtlas(seed: string): Atlas {
  const navigators = createPioneers(seed, 'navigator', 0);
  const settlers = createPioneers(seed, 'settler', generations.navigators);
  const bareIslands = createIslands(seed, navigators);
  const towns = createTowns(seed, bareIslands, settlers);
  const islands = withTowns(seed, bareIslands, towns);
  const people = createLaterPeople(seed, towns, generations.navigators + generations.settlers);
  const setting = { seed, islands, towns, people };
  const companies = ventures.createCompanies(setting);
  return bySlug([
    ...islands,
    ...towns,
    ...navigators,
    ...settlers,
    ...people,
    ...companies,
    ...ventures.createShips(setting, companies),
    ...ventures.createFestivals(setting),
    ...ventures.createLighthouses(setting),
    ...ventures.createBooks(setting, companies),
    ...ventures.createColleges(setting),
  ]);
}

function bySlug(entities: readonly Entity[]): Atlas {
  const atlas = new Map(entities.map((entity) => [entity.slug, entity]));
  if (atlas.size !== entities.length) throw new Error('two entities of the atlas share a name');
  return atlas;
}
