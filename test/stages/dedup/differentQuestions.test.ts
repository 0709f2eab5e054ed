import { describe, expect, test } from 'vitest';
import { questionDedupSchema } from '../../../schemas/config/dedup.ts';
import type { Task } from '../../../schemas/task.ts';
import { createQuestionDedupStage } from '../../../stages/dedup/createQuestionDedupStage.ts';
import { Shingler } from '../../../stages/dedup/shingles/shingler.ts';
import { generatedQuestion, swapLetters } from '../../support/generatedQuestions.ts';
import { keptBy } from '../../support/runStage.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { testRows } from '../../support/testData.ts';
import { taskOf } from '../../support/traceFixture.ts';

const near = { config: questionDedupSchema.parse({}), spillFolder: '/nonexistent' };

const ask = (question: string, answers: readonly string[] = []) =>
  taskOf('mhqa', { question, answers: [...answers] });

const keptOf = (tasks: readonly Task[]) => keptBy(createQuestionDedupStage('drop', near), tasks);

describe.each(['dedup-different.jsonl', 'dedup-names.jsonl'])('pairs of different questions: %s', (name) => {
  const rows = testRows<{ question: string; answer?: string }>(`review/${name}`);

  test.each([
    ['with their gold answers', (answer: string | undefined) => (answer ? [answer] : [])],
    ['with no answers', () => []],
    ['with one answer', () => ['yes']],
  ])('all stay, %s', async (_, answersOf) => {
    const tasks = rows.map(({ question, answer }) => ask(question, answersOf(answer)));
    expect(await keptOf(tasks)).toHaveLength(rows.length);
  });
});

test('questions that are nearly the same stay where no answer is right for both, equal ones do not', async () => {
  const [a, b] = [
    'Which old river flows past the town of Velnor?',
    'What old river flows past the town of Velnor?',
  ];
  expect(await keptOf([ask(a, ['Rhine', 'the Rhine']), ask(b, ['The Rhine.'])])).toHaveLength(1);
  expect(await keptOf([ask(a, ['Rhine']), ask(b)])).toHaveLength(1);
  expect(await keptOf([ask(a, ['Rhine']), ask(b, ['Elbe'])])).toHaveLength(2);
  expect(await keptOf([ask(a, ['Rhine']), ask(a.toUpperCase(), ['Elbe'])])).toHaveLength(1);
});

const countries =
  'France Germany Spain Italy Norway Sweden Poland Austria Australia Hungary Romania Bulgaria Greece Turkey Egypt Libya Niger Nigeria Mali Malawi Ghana Togo Chad Sudan Kenya Uganda Angola Zambia Gambia Iran Iraq Oman Qatar Yemen India Nepal China Japan Iceland Ireland'.split(
    ' ',
  );
/** Templates and what fills them: each filled in otherwise is another question. */
const templates: readonly (readonly [string, readonly string[]])[] = [
  ['What is the name of the city that is the capital and seat of government of @?', countries],
  ['what is the name of the city that is the capital and seat of government of @', countries],
  ['In which year did the country of @ join the league of nations that met beside the lake?', countries],
  ['@ lies on which of the five continents, and which of its neighbours lies on another?', countries],
  [
    'Who was the @ president of the country that lies beyond the island of the battle?',
    'first second third fourth fifth sixth seventh eighth ninth tenth last'.split(' '),
  ],
  [
    '@ signed the treaty that ended the long war between the two northern kingdoms?',
    ['Who', 'When', 'Where', 'Why'],
  ],
  [
    'In what year was the founder of the company that sold the Velnor @ born?',
    'bridge canal harbour tower castle mill mine fort port'.split(' '),
  ],
  [
    'What is the sum of all the digits of the number @ when it is written in base nine?',
    countries.map((_, at) => `${at + 11}`),
  ],
  [
    'Print the value of @ after the loop has run over all of the elements of the list.',
    'a b c d i j k n x y z'.split(' '),
  ],
  [
    'Which of the metals of this group @ attracted by a magnet at the temperature of a room?',
    ['is', 'is not', 'is never', "isn't"],
  ],
  [
    'What is the @ lake of the region that lies between the two rivers of Norland?',
    'largest smallest deepest oldest longest highest northern southern eastern western'.split(' '),
  ],
];

test.each(templates)(
  'filled in otherwise, a template is another question: %s',
  async (template, fillings) => {
    expect(await keptOf(fillings.map((filling) => ask(template.replace('@', filling))))).toHaveLength(
      fillings.length,
    );
  },
);

test('of 300 generated questions, none is taken for another', async () => {
  const questions = Array.from({ length: 300 }, (_, at) => generatedQuestion('clean', at));
  expect(await keptOf(questions.map((question) => ask(question)))).toHaveLength(300);
});

/** What changes nothing of what is asked. */
const edits: readonly (readonly [string, (question: string, random: () => number) => string])[] = [
  ['case', (question) => question.toUpperCase()],
  ['marks', (question) => question.replace(/[?.,]/g, ' ;')],
  ['a word more', (question) => question.replace(/ (\w+) (\w+)[?.]$/, ' $1 then $2?')],
  ['please', (question) => `Please: ${question}`],
  ['an article less', (question) => question.replace(' the ', ' ')],
  ['two letters that changed places', (question, random) => swapLetters(question, random)!],
];

test.each(edits)('true near duplicates are found as before: %s', async (_, edit) => {
  const random = seededRandom(7);
  const plainShingler = new Shingler(near.config.shingle);
  const setOf = (text: string) => new Set(plainShingler.shingles.slice(0, plainShingler.read(text)));
  let pairs = 0;
  let found = 0;
  for (let at = 0; at < 240; at++) {
    const question = generatedQuestion('near', at);
    if (!/(?<![\p{L}$\\])\p{Ll}{6,}/u.test(question)) continue;
    const edited = edit(question, random);
    plainShingler.read(question);
    const [one, two] = [setOf(question), setOf(edited)];
    const shared = [...one].filter((shingle) => two.has(shingle)).length;
    if (edited === question || shared / (one.size + two.size - shared) < near.config.min_jaccard + 0.02)
      continue;
    pairs++;
    found += Number((await keptOf([ask(question), ask(edited)])).length === 1);
  }
  expect(pairs).toBeGreaterThan(60);
  expect(found).toBe(pairs);
});

test('characters of a script without spaces are shingles of five, as those of others', () => {
  const shingler = new Shingler(near.config.shingle);
  const [a, b] = ['在一九九八年世界杯决赛中进球的法国球员', '在一九九八年世界杯 决赛中进球的法国球员'];
  expect(shingler.read(a)).toBe(a.length - 4);
  const first = shingler.shingles.slice(0, a.length - 4);
  expect(shingler.read(b)).toBe(a.length - 4);
  expect(shingler.shingles.slice(0, a.length - 4)).toEqual(first);
  expect(shingler.read('ภาษาไทยที่ดี')).toBe('ภาษาไทยที่ดี'.length - 4);
  expect(shingler.read('한국의 수도')).toBe('한국의 수도'.length - 4);
  expect(shingler.read('2+3=日本 5')).toBe('2 + 3 =日本5'.length - 4);
});
