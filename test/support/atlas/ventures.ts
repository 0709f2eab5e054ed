import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import { createEntity, type Entity, type Fact, linkTo, plain } from './entity.ts';
import { birthYear } from './people.ts';
import * as names from './ventureNames.ts';

/** What later people founded, built, wrote and steered needs these. */
export interface Setting {
  readonly seed: string;
  readonly islands: readonly Entity[];
  readonly towns: readonly Entity[];
  readonly people: readonly Entity[];
}

export function createCompanies(setting: Setting): Entity[] {
  // The older two thirds, so that ships and books come after the yards and presses that made them.
  const founders = setting.people.slice(0, 40);
  const all = Object.entries(names.companyNames).flatMap(([industry, own]) =>
    own.map((name) => ({ industry, name })),
  );
  return all.map(({ industry, name }) => {
    const random = randomOf(setting, name);
    return createEntity('company', name, {
      industry: plain(industry),
      seat: linkTo(random.pick(setting.towns)),
      ...madeBy(random, founders, 'founder', 'founded'),
      employees: plain(random.int(24, 880)),
    });
  });
}

export function createShips(setting: Setting, companies: readonly Entity[]): Entity[] {
  const yards = companies.filter((company) => company.facts.industry?.value === 'shipbuilding');
  return names.shipNames.map((name) => {
    const random = randomOf(setting, name);
    const builder = random.pick(yards);
    const launched = Number(builder.facts.founded?.value) + random.int(3, 40);
    const captains = setting.people.filter((person) => {
      const age = launched - birthYear(person);
      return age >= 24 && age <= 55;
    });
    return createEntity('ship', name, {
      type: plain(random.pick(names.shipTypes)),
      length: plain(random.int(19, 74)),
      port: linkTo(random.pick(setting.towns)),
      builder: linkTo(builder),
      launched: plain(launched),
      captain: linkTo(random.pick(captains)),
    });
  });
}

export function createFestivals(setting: Setting): Entity[] {
  const months = ['February', 'April', 'May', 'June', 'August', 'September', 'October', 'December'];
  return names.festivalNames.map((name) => {
    const random = randomOf(setting, name);
    return createEntity('festival', name, {
      town: linkTo(random.pick(setting.towns)),
      month: plain(random.pick(months)),
      ...madeBy(random, setting.people, 'founder', 'first_held'),
      theme: plain(random.pick(names.festivalThemes)),
    });
  });
}

export function createLighthouses(setting: Setting): Entity[] {
  return names.lighthouseNames.map((name) => {
    const random = randomOf(setting, name);
    return createEntity('lighthouse', name, {
      island: linkTo(random.pick(setting.islands)),
      height: plain(random.int(14, 58)),
      ...madeBy(random, setting.people, 'architect', 'built'),
    });
  });
}

export function createBooks(setting: Setting, companies: readonly Entity[]): Entity[] {
  const authors = setting.people.slice(30);
  const presses = companies.filter((company) => company.facts.industry?.value === 'publishing');
  return names.bookTitles.map((name) => {
    const random = randomOf(setting, name);
    const made = madeBy(random, authors, 'author', 'published');
    const open = presses.filter(
      (press) => Number(press.facts.founded?.value) <= Number(made.published?.value),
    );
    return createEntity('book', name, {
      genre: plain(random.pick(names.genres)),
      ...made,
      publisher: linkTo(random.pick(open)),
      subject: linkTo(random.pick(setting.islands)),
    });
  });
}

export function createColleges(setting: Setting): Entity[] {
  return names.collegeNames.map((name) => {
    const random = randomOf(setting, name);
    return createEntity('college', name, {
      town: linkTo(random.pick(setting.towns)),
      ...madeBy(random, setting.people, 'founder', 'opened'),
      specialty: plain(random.pick(names.specialties)),
    });
  });
}

function randomOf({ seed }: Setting, name: string): Random {
  return createRandom(`${seed}/venture/${name}`);
}

/** A grown person, and a year in which that person was between 26 and 52. */
function madeBy(random: Random, people: readonly Entity[], role: string, year: string): Record<string, Fact> {
  const maker = random.pick(people);
  return { [role]: linkTo(maker), [year]: plain(birthYear(maker) + random.int(26, 52)) };
}
