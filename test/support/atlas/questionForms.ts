import type { Kind } from './entity.ts';

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

/** Questions for an encyclopedia: two and three hops. */
export const questionForms: readonly QuestionForm[] = [
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
