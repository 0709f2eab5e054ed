import type { Kind } from '../world/entity.ts';

/** How one fact of a kind of entity is asked for and told. `{s}` is the entity, `{v}` the fact's value. */
export interface Relation {
  /** What is looked for, as a noun phrase. */
  readonly sought: string;
  /** What was found, as a clause. */
  readonly told: string;
  /** Search queries; `{s}` is the bare name. */
  readonly queries: readonly string[];
}

const relations: Readonly<Record<string, Relation>> = {
  'ship.builder': {
    sought: 'the yard that built {s}',
    told: '{s} was built by {v}',
    queries: ['{s} builder', 'who built the {s}', '{s} keel and launch'],
  },
  'ship.captain': {
    sought: 'the first captain of {s}',
    told: 'the first captain of {s} was {v}',
    queries: ['{s} first captain', 'who was the captain of the {s}', '{s} captain'],
  },
  'ship.length': {
    sought: 'the length of {s}',
    told: '{s} measures {v} metres',
    queries: ['{s} ship length', 'how long is the {s}', '{s} length in metres'],
  },
  'company.founder': {
    sought: 'the founder of {s}',
    told: '{s} was founded by {v}',
    queries: ['{s} founder', '{s} company founder', '{s} history and founder'],
  },
  'company.seat': {
    sought: 'the town in which {s} has its seat',
    told: '{s} has its seat in {v}',
    queries: ['{s} head office', 'where is {s} based', '{s} seat and offices'],
  },
  'person.birthplace': {
    sought: 'the birthplace of {s}',
    told: '{s} was born in {v}',
    queries: ['{s} birthplace', 'where was {s} born', '{s} born in'],
  },
  'person.teacher': {
    sought: 'the teacher of {s}',
    told: '{s} learned the trade from {v}',
    queries: ['{s} teacher', 'who was the teacher of {s}'],
  },
  'person.born': {
    sought: 'the birthday of {s}',
    told: '{s} was born on {v}',
    queries: ['{s} birthday', 'when was {s} born', '{s} born on'],
  },
  'town.island': {
    sought: 'the island on which {s} lies',
    told: '{s} lies on the island of {v}',
    queries: ['{s} town location', '{s} town'],
  },
  'town.founder': {
    sought: 'the founder of {s}',
    told: 'the town of {s} was founded by {v}',
    queries: ['{s} town founder', '{s} town founded by', 'founder of the town of {s}'],
  },
  'town.founded': {
    sought: 'the year in which {s} was founded',
    told: '{s} was founded in {v}',
    queries: ['{s} town founded', '{s} town founded in', 'founding of the town of {s}'],
  },
  'town.craft': {
    sought: 'the craft for which {s} is known',
    told: '{s} is known for {v}',
    queries: ['{s} town known for'],
  },
  'island.peak': {
    sought: 'the highest point of {s}',
    told: 'the highest point of {s} is {v}',
    queries: ['{s} island highest point', 'what is the highest point of {s}', '{s} peak metres'],
  },
  'island.capital': {
    sought: 'the capital of {s}',
    told: 'the capital of {s} is {v}',
    queries: ['{s} capital', '{s} island capital', 'what is the capital of {s}'],
  },
  'island.navigator': {
    sought: 'the navigator who first charted {s}',
    told: '{s} was first charted by {v}',
    queries: ['{s} island first chart', 'who first charted the coast of {s}', '{s} first charted by'],
  },
  'island.area': {
    sought: 'the area of {s}',
    told: '{s} covers {v} square kilometres',
    queries: ['{s} island area', 'how large is {s}', '{s} square kilometres'],
  },
  'festival.town': {
    sought: 'the town that holds {s}',
    told: '{s} is held in {v}',
    queries: ['where is the {s} held', '{s} place', '{s} held in'],
  },
  'festival.founder': {
    sought: 'the person who started {s}',
    told: '{s} goes back to {v}',
    queries: ['{s} founder', 'who founded the {s}', '{s} founder and first year'],
  },
  'lighthouse.architect': {
    sought: 'the architect of {s}',
    told: '{s} was designed by {v}',
    queries: ['{s} architect', 'who designed {s}', '{s} plans by'],
  },
  'lighthouse.height': {
    sought: 'the height of {s}',
    told: '{s} is {v} metres tall',
    queries: ['{s} height', 'how tall is {s}', '{s} tower metres'],
  },
  'lighthouse.built': {
    sought: 'the year in which {s} was first lit',
    told: '{s} has shone since {v}',
    queries: ['{s} year built', 'when was {s} completed', '{s} first lit'],
  },
  'book.author': {
    sought: 'the author of {s}',
    told: '{s} was written by {v}',
    queries: ['"{s}" author', 'who wrote {s}', '{s} author'],
  },
  'book.publisher': {
    sought: 'the publisher of {s}',
    told: '{s} came out with {v}',
    queries: ['"{s}" publisher', 'who published {s}', '{s} published by'],
  },
  'book.subject': {
    sought: 'the island on which {s} is set',
    told: '{s} is set on {v}',
    queries: ['"{s}" setting', 'where is {s} set', '{s} set on which island'],
  },
  'book.published': {
    sought: 'the year in which {s} appeared',
    told: '{s} appeared in {v}',
    queries: ['"{s}" year of publication', 'when was {s} published', '{s} published in'],
  },
  'college.town': {
    sought: 'the town of {s}',
    told: '{s} is in {v}',
    queries: ['{s} location', 'in which town is {s}', '{s} town'],
  },
  'college.founder': {
    sought: 'the person who opened {s}',
    told: '{s} was opened by {v}',
    queries: ['{s} founder', 'who opened {s}', '{s} opened by'],
  },
};

/** The words for a fact of a kind. Throws for a fact that nobody asks for. */
export function relationOf(kind: Kind, fact: string): Relation {
  const relation = relations[`${kind}.${fact}`];
  if (!relation) throw new Error(`no words for the ${fact} of a ${kind}`);
  return relation;
}

/** Every fact that is asked for, as kind and fact. */
export function askedFacts(): readonly (readonly [Kind, string])[] {
  return Object.keys(relations).map((key) => key.split('.') as [Kind, string]);
}
