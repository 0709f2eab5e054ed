import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contaminationRuleSchema } from '../../../schemas/config/decontaminate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { BenchmarkIndex } from '../../../stages/decontaminate/benchmarkIndex.ts';
import { ngramSet, sharedNgrams } from '../../../stages/decontaminate/ngramRule.ts';
import { cases } from '../../support/cases.ts';
import { findIn } from './support/findIn.ts';

/** Few words, so that runs are shared by chance and repeat themselves. */
const words = fc.array(fc.constantFrom('ash', 'birch', 'cedar', 'elm'), { maxLength: 60 });
/** Words enough that questions are told apart. */
const manyWords = fc.array(
  fc.integer({ min: 0, max: 400 }).map((n) => `Tree${n.toString(26)}`),
  { minLength: 1, maxLength: 60 },
);

const ngramsOf = (list: readonly string[], n: number) =>
  new Set(list.slice(n - 1).map((_, at) => list.slice(at, at + n).join(' ')));
const both = (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].filter((ngram) => b.has(ngram));

test('shared n-grams are those of all runs compared with all runs', () => {
  fc.assert(
    fc.property(
      words,
      words,
      fc.subarray(['ash birch', 'cedar elm elm', 'birch birch']),
      (a, b, formulae) => {
        const isFormula = (ngram: string) => formulae.some((formula) => ngram.includes(formula));
        const found = sharedNgrams(setOf(a, isFormula), setOf(b, isFormula));
        const telling = (list: readonly string[]) =>
          new Set([...ngramsOf(list, 8)].filter((ngram) => !isFormula(ngram)));
        expect(found.shared).toBe(both(telling(a), telling(b)).length);
        expect(found.ofFirst).toBe(telling(a).size);
        expect(found.ofSecond).toBe(telling(b).size);
        const long = both(ngramsOf(a, 13), ngramsOf(b, 13));
        const tells = (ngram: string) => both(ngramsOf(ngram.split(' '), 8), telling(b)).length > 0;
        expect(found.hasLong).toBe(long.some(tells));
        const run = b.slice(found.run.start, found.run.start + found.run.length).join(' ');
        expect(` ${a.join(' ')} `).toContain(run === '' ? '' : ` ${run} `);
      },
    ),
    { numRuns: cases(2_000) },
  );
});

/** The 8-grams of a list of words. Each different one is asked about once, in order of its first place. */
function setOf(list: readonly string[], isFormula: (ngram: string) => boolean) {
  const places = firstPlaces(list).values();
  return ngramSet(foldWords(list.join(' ')).loose, () => {
    const place = places.next().value!;
    return isFormula(list.slice(place, place + 8).join(' '));
  });
}

/** Where each different 8-gram begins for the first time, in order. */
function firstPlaces(list: readonly string[]): number[] {
  const seen = new Set<string>();
  return list.flatMap((_, at) => {
    const ngram = list.slice(at, at + 8).join(' ');
    if (at + 8 > list.length || seen.has(ngram)) return [];
    seen.add(ngram);
    return [at];
  });
}

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
        expect(findIn(questions, question)).toMatchObject({ kind: 'exact' });
        const inside = benchmark[nth % questions.length]!.length >= 3;
        if (inside)
          expect(findIn(questions, `${before.join(' ')}: ${question} ${after.join(' ')}.`)).toBeDefined();
      },
    ),
    { numRuns: 500 },
  );
});

test('a question that shares no 8-gram and no telling words is clean', () => {
  fc.assert(
    fc.property(fc.array(manyWords, { maxLength: 8 }), manyWords, (benchmark, asked) => {
      const others = asked.map((word) => word.replace('Tree', 'Bush'));
      expect(
        findIn(
          benchmark.map((list) => list.join(' ')),
          others.join(' '),
        ),
      ).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test('what is found does not depend on the order of the benchmark, but for the row', () => {
  const rule = contaminationRuleSchema.parse({});
  const indexOf = (questions: readonly string[]) => {
    const index = new BenchmarkIndex(rule);
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
    { numRuns: 300 },
  );
});
