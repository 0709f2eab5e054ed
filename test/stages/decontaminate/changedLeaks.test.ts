import { describe, expect, test } from 'vitest';
import { contaminationRuleSchema } from '../../../schemas/config/decontaminate.ts';
import { BenchmarkIndex } from '../../../stages/decontaminate/benchmarkIndex.ts';
import { generatedQuestion, swapLetters } from '../../support/generatedQuestions.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { testRows } from '../../support/testData.ts';
import { findIn } from './support/findIn.ts';

const questionsOf = (name: string) => testRows<{ id?: string; question: string }>(`review/${name}`);

describe('a copied question with a change', () => {
  const benchmark = questionsOf('decontaminate-benchmark.jsonl').map(({ question }) => question);

  test.each(questionsOf('decontaminate-tasks.jsonl'))('$id', ({ id, question }) => {
    if (id === 'clean') expect(findIn(benchmark, question)).toBeUndefined();
    else expect(findIn(benchmark, question)).toBeDefined();
  });
});

describe('pairs of different questions are no leaks of each other', () => {
  test.each(['dedup-different.jsonl', 'dedup-names.jsonl'])('%s', (name) => {
    const questions = questionsOf(name).map(({ question }) => question);
    for (const [at, question] of questions.entries()) {
      expect(findIn([questions[at ^ 1]!], question)).toBeUndefined();
    }
  });
});

const seed = seededRandom(3);
const pick = <T>(list: readonly T[]): T => list[Math.floor(seed() * list.length)]!;
const swapped = (question: string) => swapLetters(question, seed);
const longWord = /(?<![\p{L}$\\])\p{Ll}{6,}/gu;

/** What may become of a question without making another of it; undefined where it has no place for that. */
const changes: readonly (readonly [string, (question: string) => string | undefined])[] = [
  ['a word more', (question) => question.replace(pick([...question.matchAll(/ /g)])[0], ' actually ')],
  ['two letters that changed places', swapped],
  ['the same in lower case', (question) => swapped(question)?.toLowerCase()],
  ['the same in capitals', (question) => swapped(question)?.toUpperCase()],
  [
    'British words',
    (question) => (/harbour/.test(question) ? question.replace(/harbour/g, 'harbor') : undefined),
  ],
  [
    'another word in a long question',
    (question) => {
      const words = [...question.matchAll(longWord)].filter(
        ([word]) => !/positive|earlier|integers/.test(word),
      );
      if (question.split(' ').length < 14 || words.length === 0) return undefined;
      const word = pick(words);
      return `${question.slice(0, word.index)}quiet${question.slice(word.index + word[0].length)}`;
    },
  ],
];

describe('of a generated benchmark', () => {
  const index = new BenchmarkIndex(contaminationRuleSchema.parse({}));
  const questions = Array.from({ length: 600 }, (_, at) => generatedQuestion('leak', at));
  for (const [at, question] of questions.entries())
    index.add(question, { benchmark: 'b', benchmark_file: 'b.jsonl', benchmark_row: at + 1 });

  test.each(changes)('at least 99 of 100 leaks are found: %s', (_, change) => {
    const leaks = questions.flatMap((question) => change(question) ?? []);
    const missed = leaks.filter((leak) => !index.find(leak));
    expect(leaks.length).toBeGreaterThan(20);
    expect(missed.length / leaks.length, missed.join('\n')).toBeLessThanOrEqual(0.01);
  });

  test('of 1,200 other questions of the same patterns, none is', () => {
    const flagged = Array.from({ length: 1_200 }, (_, at) => generatedQuestion('clean', at)).filter(
      (question) => index.find(question),
    );
    expect(flagged).toEqual([]);
  });
});

test('a Chinese question of which 26 of 30 signs are there is found, whatever the other four are', () => {
  const question = '在一九九八年世界杯决赛中进球的法国球员出生在哪座城市以及他的父亲从事';
  for (let from = 0; from + 4 <= 30; from++) {
    const text = question.slice(0, 30);
    const leak = `${text.slice(0, from)}甲乙丙丁${text.slice(from + 4)}`;
    // Another year makes another question.
    const isOther = /[八九]/u.test(text.slice(from, from + 4));
    if (!isOther) expect(findIn([text], leak), leak).toBeDefined();
  }
});
