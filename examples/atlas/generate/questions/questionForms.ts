import type { Kind } from '../world/entity.ts';

/** A kind of question: from a named entity along its facts to the answer. */
export interface QuestionForm {
  readonly start: Kind;
  /** Facts to follow, the first from the start. */
  readonly path: readonly string[];
  /** Where two entities are named: the fact that says which one the path begins at. */
  readonly compare?: { readonly fact: string; readonly wins: 'larger' | 'smaller' };
  /** Ways to ask; `{s}` is the start, or `{a}` and `{b}` the two to compare. */
  readonly wordings: readonly string[];
  /** How many questions of the kind there are. */
  readonly count: number;
}

type Compare = NonNullable<QuestionForm['compare']>;

/** A question from one entity along facts, which are separated by blanks. */
function chain(start: Kind, facts: string, count: number, wordings: readonly string[]): QuestionForm {
  return { start, path: facts.split(' '), wordings, count };
}

/** A question from the entity of two that wins by a fact, along further facts. */
function comparison(
  start: Kind,
  fact: string,
  wins: Compare['wins'],
  facts: string,
  count: number,
  wordings: readonly string[],
): QuestionForm {
  return { ...chain(start, facts, count, wordings), compare: { fact, wins } };
}

/** Questions for the open web: three hops and more. */
export const webForms: readonly QuestionForm[] = [
  chain('ship', 'builder founder birthplace island peak', 3, [
    'What is the highest point of the island on which the founder of the yard that built {s} was born?',
    '{S} came from a yard whose founder was born in one of the island towns. What is the highest point of the island where that town lies?',
  ]),
  chain('book', 'author teacher birthplace', 3, [
    'In which town was the teacher of the author of {s} born?',
    'Whoever wrote {s} learned the trade from somebody older. Where was that teacher born?',
  ]),
  chain('lighthouse', 'architect birthplace founder born', 2, [
    'On what date was the settler born who founded the home town of the architect of {s}?',
    'The architect of {s} was born in a town that a settler had founded. When was that settler born?',
  ]),
  chain('festival', 'town island navigator', 3, [
    'Which navigator first charted the island on which {s} is held?',
    'Who drew up the first chart of the island whose people celebrate {s}?',
  ]),
  chain('company', 'founder teacher birthplace island', 2, [
    'On which island was the teacher of the founder of {s} born?',
    'The founder of {s} had a teacher. On what island does the birthplace of that teacher lie?',
  ]),
  chain('college', 'town island capital founded', 2, [
    'What is the founding year of the capital of the island on which {s} stands?',
    '{S} stands on an island. When was the capital of that island founded?',
  ]),
  chain('ship', 'captain birthplace craft', 3, [
    'For which craft is the home town of the first captain of {s} known?',
    'The first person to command {s} grew up in a town with a famous craft. Which craft is it?',
  ]),
  chain('book', 'publisher founder birthplace', 3, [
    'Where was the founder of the house that published {s} born?',
    'What is the birthplace of the person who set up the publisher of {s}?',
  ]),
  comparison('ship', 'length', 'larger', 'builder founder birthplace', 3, [
    'Of the ships {a} and {b}, one is longer. In which town was the founder of the yard that built it born?',
    'Which town is the birthplace of the person who set up the yard of the longer of two ships, {a} and {b}?',
  ]),
  comparison('lighthouse', 'built', 'smaller', 'architect birthplace island', 2, [
    'On which island was the architect of the older of the lighthouses {a} and {b} born?',
    'Compare {a} with {b}: on which island was the architect of the one that was lit first born?',
  ]),
  chain('book', 'subject capital founder birthplace', 2, [
    'From which mainland city came the founder of the capital of the island on which {s} is set?',
    '{S} is set on an island. In which city was the founder of its capital born?',
  ]),
  chain('festival', 'founder teacher born', 2, [
    'When was the teacher of the person who started {s} born?',
    "The person behind {s} was somebody's pupil. What is the date of birth of that teacher?",
  ]),
];

/** Questions for an encyclopedia: two and three hops. */
export const mhqaForms: readonly QuestionForm[] = [
  chain('ship', 'builder founder birthplace', 3, [
    'In which town was the founder of the yard that built {s} born?',
    'Where was the person born who set up the yard from which {s} came?',
  ]),
  chain('book', 'author birthplace island', 3, [
    'On which island was the author of {s} born?',
    'What is the home island of whoever wrote {s}?',
  ]),
  chain('lighthouse', 'architect teacher', 3, [
    'Who taught the architect of {s}?',
    'From whom did the architect of {s} learn the trade?',
  ]),
  chain('festival', 'town founder born', 2, [
    'What is the date of birth of the founder of the town where {s} takes place?',
    '{S} is held in a town. On what date was the founder of that town born?',
  ]),
  chain('company', 'seat island peak', 3, [
    'What is the highest point of the island on which {s} has its seat?',
    'Which mountain is the highest on the island that is home to {s}?',
  ]),
  chain('college', 'founder birthplace founded', 2, [
    'In what year was the birthplace of the person who opened {s} founded?',
    'The founder of {s} came from one of the island towns. In which year was that town founded?',
  ]),
  chain('ship', 'captain teacher', 2, [
    'Who was the teacher of the first captain of {s}?',
    'Who trained the first captain of {s}?',
  ]),
  chain('book', 'subject navigator birthplace', 2, [
    'In which mainland city was the navigator born who first charted the island on which {s} is set?',
    'Where did the navigator come from who first charted the setting of {s}?',
  ]),
  comparison('island', 'area', 'larger', 'capital founder', 3, [
    'Who founded the capital of the larger of the islands {a} and {b}?',
    '{A} and {b} are islands of different size. Who founded the capital of the larger one?',
  ]),
  comparison('lighthouse', 'height', 'larger', 'architect birthplace', 2, [
    'Where was the architect of the taller of the lighthouses {a} and {b} born?',
    'Of {a} and {b}, which are both lighthouses, one is taller. In which town was its architect born?',
  ]),
  chain('company', 'founder birthplace craft', 2, [
    'What craft is the home town of the founder of {s} known for?',
    'The founder of {s} was born in a town with an old craft. Which craft?',
  ]),
  chain('festival', 'founder teacher birthplace', 2, [
    'What is the birthplace of the teacher of the person who started {s}?',
    'In which town was the teacher of the founder of {s} born?',
  ]),
  comparison('book', 'published', 'smaller', 'author teacher', 1, [
    'Who taught the author of the book that appeared first, {a} or {b}?',
  ]),
];
