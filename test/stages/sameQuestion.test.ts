import { expect, test } from 'vitest';
import { readQuestion, sameQuestion } from '../../schemas/question.ts';
import { BenchmarkIndex } from '../../stages/dedup/benchmarkIndex.ts';
import { createQuestionDedupStage } from '../../stages/dedup/createQuestionDedupStage.ts';
import { keptBy } from '../support/runStage.ts';
import { testRows } from '../support/testData.ts';
import { taskOf } from '../support/traceFixture.ts';
import { differentPairs, type QuestionPair, samePairs } from './support/questionPairs.ts';

/** Pairs of neighbours in files of different questions. */
const foundPairs = [
  'review/dedup-different.jsonl',
  'review/dedup-names.jsonl',
  'review/dedup-units-signs.jsonl',
  'field/t38_other_language.jsonl',
].flatMap((name): QuestionPair[] => {
  const rows = testRows<{ question: string }>(name);
  return rows.flatMap(({ question }, at) =>
    at % 2 === 0 ? [{ kind: name, a: question, b: rows[at + 1]!.question }] : [],
  );
});
const different = [...differentPairs, ...foundPairs];

const keptOf = (questions: readonly string[], answers: readonly string[][] = []) =>
  keptBy(
    createQuestionDedupStage('drop'),
    questions.map((question, at) =>
      taskOf('mhqa', { question, answers: answers[at] ?? [], given_id: `${at}` }),
    ),
  );

const embedded = (question: string) => `My teacher gave me this. ${question}\nPlease explain it.`;

/** The questions that a benchmark has, or that hold one of its questions. */
function leaksOf(benchmark: readonly string[], asked: readonly string[]): readonly string[] {
  const index = new BenchmarkIndex();
  for (const [at, question] of benchmark.entries())
    index.add(question, { benchmark: 'b', benchmark_file: 'b.jsonl', benchmark_row: at + 1 });
  const found = asked.filter((question) => index.find(question));
  index.close();
  return found;
}

const areSame = ({ a, b }: QuestionPair) =>
  sameQuestion(readQuestion(a).content, readQuestion(b).content) !== undefined;

test('there are pairs of every kind', () => {
  expect(different.length).toBeGreaterThanOrEqual(444);
  expect(samePairs.length).toBeGreaterThanOrEqual(176);
});

test('different questions are two, by themselves, among others and beside a benchmark', async () => {
  expect(different.filter(areSame)).toEqual([]);
  const all = [...new Set(different.flatMap(({ a, b }) => [a, b]))];
  expect((await keptOf(all)).map(({ question }) => question)).toEqual(all);
  for (const one of [0, 1]) {
    const benchmark = all.filter((_, at) => at % 2 === one);
    const asked = all.filter((_, at) => at % 2 !== one);
    expect(leaksOf(benchmark, asked)).toEqual([]);
    expect(leaksOf(benchmark, asked.map(embedded))).toEqual([]);
  }
});

test.each(samePairs)('the same question is one, in tasks and in a benchmark: $kind, $a', async (pair) => {
  const { a, b } = pair;
  expect(areSame(pair)).toBe(true);
  expect(await keptOf([a, b])).toHaveLength(1);
  expect(await keptOf([b, a], [['yes'], ['Yes.']])).toHaveLength(1);
  expect(leaksOf([a], [b, embedded(b)])).toEqual([b, embedded(b)]);
});

test('equal questions are one whatever their answers', async () => {
  expect(await keptOf(['Who founded Velnor?', 'who founded velnor'], [['Ann'], ['Bob']])).toHaveLength(1);
});

test('a word with two letters swapped is another word where answers or the corpus say so', async () => {
  const [causal, casual] = ['causal', 'casual'].map((word) => `Is the link between the two ${word}?`);
  expect(await keptOf([causal!, casual!])).toHaveLength(1);
  expect(await keptOf([causal!, casual!], [['yes'], ['no']])).toHaveLength(2);
  const corpus = [causal!.replace('link', 'tie'), casual!.replace('link', 'bond'), causal!, casual!];
  expect(await keptOf(corpus)).toHaveLength(4);
  expect(await keptOf(['What is 123456 in base two?', 'What is 124356 in base two?'])).toHaveLength(2);
});
