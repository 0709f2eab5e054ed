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

/** Questions for the open web: three hops and more. */
export const webForms: readonly QuestionForm[] = [
  {
    start: 'ship',
    path: ['builder', 'founder', 'birthplace', 'island', 'peak'],
    wordings: [
      'What is the highest point of the island on which the founder of the yard that built {s} was born?',
      '{S} came from a yard whose founder was born in one of the island towns. What is the highest point of the island where that town lies?',
    ],
    count: 3,
  },
  {
    start: 'book',
    path: ['author', 'teacher', 'birthplace'],
    wordings: [
      'In which town was the teacher of the author of {s} born?',
      'Whoever wrote {s} learned the trade from somebody older. Where was that teacher born?',
    ],
    count: 3,
  },
  {
    start: 'lighthouse',
    path: ['architect', 'birthplace', 'founder', 'born'],
    wordings: [
      'On what date was the settler born who founded the home town of the architect of {s}?',
      'The architect of {s} was born in a town that a settler had founded. When was that settler born?',
    ],
    count: 2,
  },
  {
    start: 'festival',
    path: ['town', 'island', 'navigator'],
    wordings: [
      'Which navigator first charted the island on which {s} is held?',
      'Who drew up the first chart of the island whose people celebrate {s}?',
    ],
    count: 3,
  },
  {
    start: 'company',
    path: ['founder', 'teacher', 'birthplace', 'island'],
    wordings: [
      'On which island was the teacher of the founder of {s} born?',
      'The founder of {s} had a teacher. On what island does the birthplace of that teacher lie?',
    ],
    count: 2,
  },
  {
    start: 'college',
    path: ['town', 'island', 'capital', 'founded'],
    wordings: [
      'What is the founding year of the capital of the island on which {s} stands?',
      '{S} stands on an island. When was the capital of that island founded?',
    ],
    count: 2,
  },
  {
    start: 'ship',
    path: ['captain', 'birthplace', 'craft'],
    wordings: [
      'For which craft is the home town of the first captain of {s} known?',
      'The first person to command {s} grew up in a town with a famous craft. Which craft is it?',
    ],
    count: 3,
  },
  {
    start: 'book',
    path: ['publisher', 'founder', 'birthplace'],
    wordings: [
      'Where was the founder of the house that published {s} born?',
      'What is the birthplace of the person who set up the publisher of {s}?',
    ],
    count: 3,
  },
  {
    start: 'ship',
    compare: { fact: 'length', wins: 'larger' },
    path: ['builder', 'founder', 'birthplace'],
    wordings: [
      'Of the ships {a} and {b}, one is longer. In which town was the founder of the yard that built it born?',
      'Which town is the birthplace of the person who set up the yard of the longer of two ships, {a} and {b}?',
    ],
    count: 3,
  },
  {
    start: 'lighthouse',
    compare: { fact: 'built', wins: 'smaller' },
    path: ['architect', 'birthplace', 'island'],
    wordings: [
      'On which island was the architect of the older of the lighthouses {a} and {b} born?',
      'Compare {a} with {b}: on which island was the architect of the one that was lit first born?',
    ],
    count: 2,
  },
  {
    start: 'book',
    path: ['subject', 'capital', 'founder', 'birthplace'],
    wordings: [
      'From which mainland city came the founder of the capital of the island on which {s} is set?',
      '{S} is set on an island. In which city was the founder of its capital born?',
    ],
    count: 2,
  },
  {
    start: 'festival',
    path: ['founder', 'teacher', 'born'],
    wordings: [
      'When was the teacher of the person who started {s} born?',
      "The person behind {s} was somebody's pupil. What is the date of birth of that teacher?",
    ],
    count: 2,
  },
];

/** Questions for an encyclopedia: two and three hops. */
export const mhqaForms: readonly QuestionForm[] = [
  {
    start: 'ship',
    path: ['builder', 'founder', 'birthplace'],
    wordings: [
      'In which town was the founder of the yard that built {s} born?',
      'Where was the person born who set up the yard from which {s} came?',
    ],
    count: 3,
  },
  {
    start: 'book',
    path: ['author', 'birthplace', 'island'],
    wordings: [
      'On which island was the author of {s} born?',
      'What is the home island of whoever wrote {s}?',
    ],
    count: 3,
  },
  {
    start: 'lighthouse',
    path: ['architect', 'teacher'],
    wordings: ['Who taught the architect of {s}?', 'From whom did the architect of {s} learn the trade?'],
    count: 3,
  },
  {
    start: 'festival',
    path: ['town', 'founder', 'born'],
    wordings: [
      'What is the date of birth of the founder of the town where {s} takes place?',
      '{S} is held in a town. On what date was the founder of that town born?',
    ],
    count: 2,
  },
  {
    start: 'company',
    path: ['seat', 'island', 'peak'],
    wordings: [
      'What is the highest point of the island on which {s} has its seat?',
      'Which mountain is the highest on the island that is home to {s}?',
    ],
    count: 3,
  },
  {
    start: 'college',
    path: ['founder', 'birthplace', 'founded'],
    wordings: [
      'In what year was the birthplace of the person who opened {s} founded?',
      'The founder of {s} came from one of the island towns. In which year was that town founded?',
    ],
    count: 2,
  },
  {
    start: 'ship',
    path: ['captain', 'teacher'],
    wordings: ['Who was the teacher of the first captain of {s}?', 'Who trained the first captain of {s}?'],
    count: 2,
  },
  {
    start: 'book',
    path: ['subject', 'navigator', 'birthplace'],
    wordings: [
      'In which mainland city was the navigator born who first charted the island on which {s} is set?',
      'Where did the navigator come from who first charted the setting of {s}?',
    ],
    count: 2,
  },
  {
    start: 'island',
    compare: { fact: 'area', wins: 'larger' },
    path: ['capital', 'founder'],
    wordings: [
      'Who founded the capital of the larger of the islands {a} and {b}?',
      '{A} and {b} are islands of different size. Who founded the capital of the larger one?',
    ],
    count: 3,
  },
  {
    start: 'lighthouse',
    compare: { fact: 'height', wins: 'larger' },
    path: ['architect', 'birthplace'],
    wordings: [
      'Where was the architect of the taller of the lighthouses {a} and {b} born?',
      'Of {a} and {b}, which are both lighthouses, one is taller. In which town was its architect born?',
    ],
    count: 2,
  },
  {
    start: 'company',
    path: ['founder', 'birthplace', 'craft'],
    wordings: [
      'What craft is the home town of the founder of {s} known for?',
      'The founder of {s} was born in a town with an old craft. Which craft?',
    ],
    count: 2,
  },
  {
    start: 'festival',
    path: ['founder', 'teacher', 'birthplace'],
    wordings: [
      'What is the birthplace of the teacher of the person who started {s}?',
      'In which town was the teacher of the founder of {s} born?',
    ],
    count: 2,
  },
  {
    start: 'book',
    compare: { fact: 'published', wins: 'smaller' },
    path: ['author', 'teacher'],
    wordings: ['Who taught the author of the book that appeared first, {a} or {b}?'],
    count: 1,
  },
];
