import type { JsonObject } from '../../base/json.ts';
import type { ScriptEntry, ScriptStep } from '../../schemas/teacherScript.ts';
import { givenNames, surnames, townNames } from './names.ts';
import { createRandom, type Random } from './random.ts';

/** How much there is of a world. Half of the people are asked about in training, the others in the evaluation. */
export interface WorldSize {
  /** Even, at most 5,000. */
  readonly people: number;
  readonly trainingTasks: number;
  readonly heldOutTasks: number;
  /** Looks that a question takes: 1 asks about a person, 2 about a person's teacher. */
  readonly hops: 1 | 2;
}

interface Person {
  readonly name: string;
  readonly pronoun: 'She' | 'He';
  readonly town: string;
  readonly year: string;
  readonly trade: string;
  readonly teacher: string;
}

const trades =
  'sailmaker baker cooper glazier printer surveyor weaver tanner miller potter joiner chandler saddler thatcher brewer dyer engraver locksmith mason tinsmith'.split(
    ' ',
  );

/** What is asked about a person, and where the answer stands in the passage. */
const relations = [
  { ask: 'In which town was NAME born?', fact: 'town', find: 'born in ([A-Z]\\w+) in', what: 'birthplace' },
  { ask: 'In which year was NAME born?', fact: 'year', find: 'in (\\d{4})', what: 'year of birth' },
  { ask: 'What was the trade of NAME?', fact: 'trade', find: 'worked as a (\\w+)', what: 'trade' },
  {
    ask: 'Who was the teacher of NAME?',
    fact: 'teacher',
    find: '(?:taught by|pupil of) (\\S+ [^\\s.,]+)',
    what: 'teacher',
  },
] as const;

/**
 * The files of a made-up world, by name: an encyclopedia with a passage a person, questions about some of them with a
 * teacher's solutions, the same questions solved badly, and held-out questions about others. Nobody who is asked about
 * in the evaluation is named in a training task or in its passage. The same seed gives the same bytes on every machine.
 */
export function closedLoopFiles(seed: string, size: WorldSize): Map<string, string> {
  const random = createRandom(`${seed}/closed-loop`);
  const names = random.shuffle(allNames()).slice(0, size.people);
  const half = size.people / 2;
  const people = [names.slice(0, half), names.slice(half)].map((group) =>
    group.map((one) => createPerson(one, group, random)),
  );
  const [training, heldOut] = people as [Person[], Person[]];
  const taught = questionsAbout(training, size.trainingTasks, size.hops);
  const questions = questionsAbout(heldOut, size.heldOutTasks, size.hops);
  return new Map(
    Object.entries({
      'passages.jsonl': people.flat().map((person, id) => passageOf(person, id, random)),
      'training.jsonl': taught.map(taskOf),
      'held-out.jsonl': questions.map(taskOf),
      'script.jsonl': taught.map((one) => entryOf(one, null)),
      'held-out.script.jsonl': questions.map((one) => entryOf(one, null)),
      'flawed.script.jsonl': taught.map((one, at) =>
        entryOf(one, at % 2 === 0 ? 'too_few_interactions' : 'redundant_query'),
      ),
    }).map(([file, rows]) => [file, rows.map((row) => `${JSON.stringify(row)}\n`).join('')]),
  );
}

type Name = Pick<Person, 'name' | 'pronoun'>;

function allNames(): Name[] {
  const given = [
    ...givenNames.she.map((name) => ({ name, pronoun: 'She' as const })),
    ...givenNames.he.map((name) => ({ name, pronoun: 'He' as const })),
  ];
  return given.flatMap(({ name, pronoun }) =>
    surnames.map((surname) => ({ name: `${name} ${surname}`, pronoun })),
  );
}

/** A person's teacher is of the same half of the world. */
function createPerson({ name, pronoun }: Name, group: readonly Name[], random: Random): Person {
  const teacher = random.pick(group.filter((other) => other.name !== name)).name;
  const year = String(random.int(1604, 1899));
  return { name, pronoun, town: random.pick(townNames), year, trade: random.pick(trades), teacher };
}

function passageOf({ name, pronoun, town, year, trade, teacher }: Person, id: number, random: Random) {
  const text = random.pick([
    `${name} was born in ${town} in ${year}. ${pronoun} worked as a ${trade} and was taught by ${teacher}.`,
    `A pupil of ${teacher}, ${name} worked as a ${trade}. ${pronoun} was born in ${town} in ${year}.`,
    `${name} worked as a ${trade}. ${pronoun} was born in ${town} in ${year} and was taught by ${teacher}.`,
  ]);
  return { id: `p${id}`, contents: `"${name}"\n${text}` };
}

interface Question {
  readonly question: string;
  readonly answer: string;
  /** Whom it names. */
  readonly person: Person;
  /** How the one who is asked about is found from there; null: it is the person. */
  readonly by: (typeof relations)[number] | null;
  readonly relation: (typeof relations)[number];
}

const teacherOf = relations[3];

/** One question a person, then a second one of each, and so on. */
function questionsAbout(people: readonly Person[], count: number, hops: WorldSize['hops']): Question[] {
  const byName = new Map(people.map((person) => [person.name, person]));
  return Array.from({ length: count }, (_, at) => {
    const round = Math.floor(at / people.length);
    const person = people[at % people.length]!;
    const relation = relations[(at + round) % relations.length]!;
    const by = hops === 2 ? teacherOf : null;
    const asked = by ? byName.get(person[by.fact])! : person;
    const named = by ? `the ${by.what} of ${person.name}` : person.name;
    return {
      question: relation.ask.replace('NAME', named),
      answer: asked[relation.fact],
      person,
      by,
      relation,
    };
  });
}

function taskOf({ question, answer }: Question, at: number): JsonObject {
  return { id: `q${at}`, question, answer };
}

function entryOf({ question, person, by, relation, answer }: Question, flaw: string | null): ScriptEntry {
  const look = (name: string, found: string, pattern: string): ScriptStep => ({
    action: 'tool',
    tool: 'wiki_search',
    think: `I look up ${name}.`,
    input: { query: name },
    extract: { [found]: pattern },
  });
  const looks = by
    ? [look(person.name, 'by', by.find), look('{{by}}', 'found', relation.find)]
    : [look(person.name, 'found', relation.find)];
  const answered = (value: string): ScriptStep => ({
    action: 'answer',
    think: `The ${relation.what} is ${value}.`,
    answer: value,
  });
  const steps =
    flaw === 'too_few_interactions'
      ? [answered(answer)]
      : [...(flaw === null ? [] : looks.slice(0, 1)), ...looks, answered('{{found}}')];
  return { question, profile: 'lookup', steps, flaw };
}
