import { givenNames, mainlandCities, surnames } from '../../../examples/closed-loop/names.ts';
import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import { createEntity, type Entity, linkTo, plain } from './entity.ts';
import { occupations } from './ventureNames.ts';

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** How many people of each generation there are. */
export const generations = { navigators: 12, settlers: 24, later: 60 } as const;

/** People who came from the mainland, before there were towns to be born in: navigators or settlers. */
export function createPioneers(
  seed: string,
  occupation: 'navigator' | 'settler',
  firstSurname: number,
): Entity[] {
  const count = occupation === 'navigator' ? generations.navigators : generations.settlers;
  return Array.from({ length: count }, (_, at) => {
    const random = createRandom(`${seed}/${occupation}/${at}`);
    const born = occupation === 'navigator' ? 1540 + at * 3 : 1575 + at * 3;
    const person = nameOf(random, firstSurname + at);
    return createEntity('person', person.name, {
      ...life(random, born),
      pronoun: plain(person.pronoun),
      birthplace: plain(random.pick(mainlandCities)),
      occupation: plain(occupation),
    });
  });
}

/** People born in the towns of the atlas, oldest first; all but the oldest learned from an older one. */
export function createLaterPeople(seed: string, towns: readonly Entity[], firstSurname: number): Entity[] {
  const people: Entity[] = [];
  for (let at = 0; at < generations.later; at++) {
    const random = createRandom(`${seed}/later/${at}`);
    const person = nameOf(random, firstSurname + at);
    // Two years apart from 1770 on; a teacher is 16 to 50 years older.
    const teachers = people.slice(Math.max(0, at - 25), Math.max(0, at - 7));
    people.push(
      createEntity('person', person.name, {
        ...life(random, 1770 + at * 2),
        pronoun: plain(person.pronoun),
        birthplace: linkTo(random.pick(towns)),
        occupation: plain(random.pick(occupations)),
        ...(teachers.length > 0 && { teacher: linkTo(random.pick(teachers)) }),
      }),
    );
  }
  return people;
}

/** The year in which a person was born. */
export function birthYear(person: Entity): number {
  return Number(person.facts.born?.value.slice(-4));
}

function nameOf(random: Random, surname: number): { name: string; pronoun: 'she' | 'he' } {
  const pronoun = random.pick(['she', 'he'] as const);
  return { name: `${random.pick(givenNames[pronoun])} ${surnames[surname]}`, pronoun };
}

function life(random: Random, year: number) {
  return {
    born: plain(`${random.int(1, 28)} ${random.pick(months)} ${year}`),
    died: plain(year + random.int(58, 84)),
  };
}
