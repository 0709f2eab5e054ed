import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BenchmarkIndex } from '../../../stages/dedup/benchmarkIndex.ts';
import { cases } from '../../support/cases.ts';
import { findIn } from './support/findIn.ts';

/** Few words, so that runs are shared by chance and repeat themselves. */
const words = fc.array(fc.constantFrom('ash', 'birch', 'cedar', 'elm'), { maxLength: 60 });
/** Words enough that questions are told apart. */
const manyWords = fc.array(
  fc.integer({ min: 0, max: 400 }).map((n) => `Tree${n.toString(26)}`),
  { minLength: 1, maxLength: 60 },
);

test('a question of the benchmark is found wherever it is embedded', () => {
  fc.assert(
    fc.property(
      fc.array(manyWords, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      manyWords,
      manyWords,
      (benchmark, nth, before, after) => {
        const questions = benchmark.map((list) => `${list.join(' ')}?`);
        const question = questions[nth % questions.length]!;
        expect(findIn(questions, question)).toBeDefined();
        const inside = benchmark[nth % questions.length]!.length >= 3;
        if (inside)
          expect(findIn(questions, `${before.join(' ')}: ${question} ${after.join(' ')}.`)).toBeDefined();
      },
    ),
    { numRuns: cases(2_500) },
  );
});

test('a question is found inside another exactly where it is a run of whole sentences', () => {
  const sentence = fc.array(fc.constantFrom('ash', 'birch', 'cedar'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(sentence, { minLength: 1, maxLength: 8 }),
      sentence,
      sentence,
      (asked, one, other) => {
        const question = [...one, ...other];
        const runs = asked.flatMap((_, start) =>
          asked.map((_, end) =>
            asked
              .slice(start, end + 1)
              .flat()
              .join(' '),
          ),
        );
        const isWhole = asked.flat().join(' ') === question.join(' ');
        const isInside = question.length >= 3 && runs.includes(question.join(' '));
        const text = asked.map((words) => words.join(' ')).join('. ');
        expect(findIn([question.join(' ')], text) !== undefined).toBe(isWhole || isInside);
      },
    ),
    { numRuns: cases(2_000) },
  );
});

test('what is found does not depend on the order of the benchmark, but for the row', () => {
  const indexOf = (questions: readonly string[]) => {
    const index = new BenchmarkIndex();
    for (const [at, question] of questions.entries())
      index.add(question, { benchmark: 'b', benchmark_file: 'f', benchmark_row: at + 1 });
    return index;
  };
  const list = fc.uniqueArray(
    words.map((some) => some.join(' ')),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(list, words, fc.nat(), (questions, asked, turn) => {
      const cut = turn % questions.length;
      const [one, other] = [
        indexOf(questions),
        indexOf([...questions.slice(cut), ...questions.slice(0, cut)]),
      ];
      const found = [one.find(asked.join(' ')), other.find(asked.join(' '))];
      expect(found[1] === undefined).toBe(found[0] === undefined);
      one.close();
      other.close();
    }),
    { numRuns: cases(1_500) },
  );
});
