import { islandNames, peakNames, seas, townNames } from '../../../examples/closed-loop/names.ts';
import { createRandom } from '../../../examples/closed-loop/random.ts';
import { type Atlas, createEntity, type Entity, linkTo, plain } from './entity.ts';
import { birthYear, createLaterPeople, createPioneers, generations } from './people.ts';
import { crafts, products } from './ventureNames.ts';
import * as ventures from './ventures.ts';

/** The bundled world's seed. */
export const atlasSeed = 'sarrow';

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

const grouped = new Intl.NumberFormat('en-US');

/** The islands; what depends on their towns comes with {@link withTowns}. */
function createIslands(seed: string, navigators: readonly Entity[]): Entity[] {
  return islandNames.map((name, at) => {
    const random = createRandom(`${seed}/island/${at}`);
    const navigator = navigators[at % navigators.length]!;
    return createEntity('island', name, {
      sea: plain(seas[Math.floor((at * seas.length) / islandNames.length)]!),
      area: plain(grouped.format(84 + at * 37 + random.int(0, 30))),
      peak: plain(peakNames[at]!),
      height: plain(grouped.format(random.int(190, 1890))),
      navigator: linkTo(navigator),
      charted: plain(birthYear(navigator) + random.int(22, 38)),
      product: plain(random.pick(products)),
    });
  });
}

/** Two towns an island, in the order of the islands, founded by the settlers. */
function createTowns(seed: string, islands: readonly Entity[], settlers: readonly Entity[]): Entity[] {
  return townNames.map((name, at) => {
    const random = createRandom(`${seed}/town/${at}`);
    const founder = settlers[(at * 7) % settlers.length]!;
    return createEntity('town', name, {
      island: linkTo(islands[at % islands.length]!),
      founder: linkTo(founder),
      founded: plain(birthYear(founder) + random.int(24, 47)),
      population: plain(grouped.format(random.int(600, 23_000))),
      craft: plain(random.pick(crafts)),
    });
  });
}

/** The islands with the larger of their towns as capital, and with people in the countryside as well. */
function withTowns(seed: string, islands: readonly Entity[], towns: readonly Entity[]): Entity[] {
  return islands.map((island) => {
    const own = towns.filter((town) => town.facts.island?.page === island.slug);
    const capital = own.reduce((best, town) => (size(town) > size(best) ? town : best));
    const countryside = createRandom(`${seed}/countryside/${island.slug}`).int(400, 9_000);
    const population = own.reduce((sum, town) => sum + size(town), countryside);
    const facts = {
      ...island.facts,
      capital: linkTo(capital),
      population: plain(grouped.format(population)),
    };
    return { ...island, facts };
  });
}

function size(town: Entity): number {
  return Number(town.facts.population?.value.replaceAll(',', ''));
}
