import type { Kind } from './entity.ts';

/** Searches for each fact of a kind of entity that questions ask for; `{s}` is the entity's name. */
const queries: Readonly<Record<string, readonly string[]>> = {
  'ship.builder': ['{s} builder', 'who built the {s}', '{s} keel and launch'],
  'ship.captain': ['{s} first captain', 'who was the captain of the {s}', '{s} captain'],
  'ship.length': ['{s} ship length', 'how long is the {s}', '{s} length in metres'],
  'company.founder': ['{s} founder', '{s} company founder', '{s} history and founder'],
  'company.seat': ['{s} head office', 'where is {s} based', '{s} seat and offices'],
  'person.birthplace': ['{s} birthplace', 'where was {s} born', '{s} born in'],
  'person.teacher': ['{s} teacher', 'who was the teacher of {s}'],
  'person.born': ['{s} birthday', 'when was {s} born', '{s} born on'],
  'town.island': ['{s} town location', '{s} town'],
  'town.founder': ['{s} town founder', '{s} town founded by', 'founder of the town of {s}'],
  'town.founded': ['{s} town founded', '{s} town founded in', 'founding of the town of {s}'],
  'town.craft': ['{s} town known for'],
  'island.peak': ['{s} island highest point', 'what is the highest point of {s}', '{s} peak metres'],
  'island.capital': ['{s} capital', '{s} island capital', 'what is the capital of {s}'],
  'island.navigator': [
    '{s} island first chart',
    'who first charted the coast of {s}',
    '{s} first charted by',
  ],
  'island.area': ['{s} island area', 'how large is {s}', '{s} square kilometres'],
  'festival.town': ['where is the {s} held', '{s} place', '{s} held in'],
  'festival.founder': ['{s} founder', 'who founded the {s}', '{s} founder and first year'],
  'lighthouse.architect': ['{s} architect', 'who designed {s}', '{s} plans by'],
  'lighthouse.height': ['{s} height', 'how tall is {s}', '{s} tower metres'],
  'lighthouse.built': ['{s} year built', 'when was {s} completed', '{s} first lit'],
  'book.author': ['"{s}" author', 'who wrote {s}', '{s} author'],
  'book.publisher': ['"{s}" publisher', 'who published {s}', '{s} published by'],
  'book.subject': ['"{s}" setting', 'where is {s} set', '{s} set on which island'],
  'book.published': ['"{s}" year of publication', 'when was {s} published', '{s} published in'],
  'college.town': ['{s} location', 'in which town is {s}', '{s} town'],
  'college.founder': ['{s} founder', 'who opened {s}', '{s} opened by'],
};

/** Searches for a fact of a kind. Throws for a fact that nobody asks for. */
export function queriesFor(kind: Kind, fact: string): readonly string[] {
  const found = queries[`${kind}.${fact}`];
  if (!found) throw new Error(`no searches for the ${fact} of a ${kind}`);
  return found;
}

/** Every fact that is asked for, as kind and fact. */
export function askedFacts(): readonly (readonly [Kind, string])[] {
  return Object.keys(queries).map((key) => key.split('.') as [Kind, string]);
}
