import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DuplicateIndex, type IndexedRecord } from '../../../stages/dedup/index/duplicateIndex.ts';
import { cases } from '../../support/cases.ts';
import { clustersOf, survivorsOf } from '../../support/indexedClusters.ts';
import { plainJaccard } from '../../support/plantedDuplicates.ts';
import { shuffledPairs } from '../../support/shuffledPairs.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const size = 2;
const threshold = 0.6;
const optionsIn = (spillFolder: string) => ({
  shingle: size,
  threshold,
  spillFolder,
});
const nowhere = optionsIn('/nonexistent');

const word = fc.constantFrom('red', 'green', 'blue', 'pink');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const corpus = fc
  .array(fc.record({ text, quality: fc.constantFrom(0, 1, Number.NEGATIVE_INFINITY) }), { maxLength: 14 })
  .map((records): IndexedRecord[] => records.map((record, at) => ({ ...record, id: `r${at}` })));

test('every record that is dropped is near the one that stays, which is better, and evidence is the true similarity', async () => {
  await fc.assert(
    fc.asyncProperty(corpus, async (records) => {
      const { kept, similarity: jaccard, clusterSize } = await clustersOf(records, nowhere);
      for (const [place, record] of records.entries()) {
        const survivor = records[kept[place]!]!;
        expect(jaccard[place]).toBeCloseTo(plainJaccard(record.text, survivor.text, size), 12);
        expect(jaccard[place]).toBeGreaterThanOrEqual(threshold);
        expect(survivor.quality).toBeGreaterThanOrEqual(record.quality!);
        expect(kept[kept[place]!]).toBe(kept[place]);
        expect(clusterSize[place]).toBe(kept.filter((other) => other === kept[place]).length);
      }
    }),
    { numRuns: cases(1_000) },
  );
});

test('of those that stay, doing it again drops none', async () => {
  await fc.assert(
    fc.asyncProperty(corpus, async (records) => {
      const stay = await survivorsOf(records, nowhere);
      const again = await survivorsOf(
        records.filter(({ id }) => stay.includes(id)),
        nowhere,
      );
      expect(again).toEqual(stay);
    }),
    { numRuns: cases(500) },
  );
});

test('a chain of records, each near the next, is not one cluster', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
  const records = Array.from({ length: 20 }, (_, at) => ({
    id: String(at).padStart(2, '0'),
    text: words.slice(2 * at, 2 * at + 20).join(' '),
  }));
  const { kept, similarity } = await clustersOf(records, nowhere);
  expect(new Set(kept).size).toBeGreaterThan(5);
  expect(Math.min(...similarity)).toBeGreaterThanOrEqual(threshold);
});

test('of all pairs that are more alike than the threshold and 0.05, in 99 of 100 one is dropped', async () => {
  let pairs = 0;
  let found = 0;
  const samples = fc.sample(corpus, { numRuns: cases(5_000), seed: 8 });
  for (const records of samples) {
    const { kept } = await clustersOf(records, nowhere);
    for (const [b, record] of records.entries()) {
      for (let a = 0; a < b; a++) {
        if (plainJaccard(records[a]!.text, record.text, size) < threshold + 0.05) continue;
        pairs++;
        found += Number(kept[a] !== a || kept[b] !== b);
      }
    }
  }
  expect(pairs).toBeGreaterThan(cases(1_000));
  expect(found / pairs).toBeGreaterThanOrEqual(0.99);
});

test('their order does not change who stays', async () => {
  await fc.assert(
    fc.asyncProperty(shuffledPairs(corpus), async ([records, shuffled]) => {
      expect(await survivorsOf(shuffled, nowhere)).toEqual(await survivorsOf(records, nowhere));
    }),
    { numRuns: cases(500) },
  );
});

test('the best of a cluster stays, and of equals the one whose id stands first', async () => {
  const records = [
    { id: 'b', text: 'one two three', quality: 1 },
    { id: 'a', text: 'One, two: three!', quality: 1 },
    { id: '0', text: 'one two three', quality: 0.5 },
  ];
  expect(await survivorsOf(records, nowhere)).toEqual(['a']);
});

test('records of other groups are no duplicates', async () => {
  const records = ['x', 'y', 'x'].map((group, at) => ({ id: `${at}`, text: 'one two three', group }));
  expect(await survivorsOf(records, nowhere)).toEqual(['0', '1']);
});

test('a quality that is NaN is refused', () => {
  const index = new DuplicateIndex(nowhere);
  expect(() => index.add({ id: 'r', text: '', quality: Number.NaN })).toThrow(/quality of record r is NaN/);
});

test('clustering ends when it is told to', async () => {
  const index = new DuplicateIndex(nowhere);
  index.add({ id: 'r', text: 'one' });
  await expect(index.cluster(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});

describe('hostile input', () => {
  test('a shingle that is repeated a million times is one shingle', async () => {
    const records = [1_000_000, 999_999, 10].map((count, at) => ({ id: `${at}`, text: 'la '.repeat(count) }));
    const { kept, similarity: jaccard } = await clustersOf(records, optionsIn(temporaryFolder()));
    expect([...kept]).toEqual([0, 0, 0]);
    expect([...jaccard]).toEqual([1, 1, 1]);
  });

  test('a word of a megabyte is a word', async () => {
    const records = ['a', 'b', 'a'].map((letter, at) => ({ id: `${at}`, text: letter.repeat(1_000_000) }));
    expect(await survivorsOf(records, nowhere)).toEqual(['0', '1']);
  });

  test('texts without a word are compared as they stand', async () => {
    const records = ['', '', ' ', '?', '?', '!'].map((text, at) => ({ id: `${at}`, text }));
    expect(await survivorsOf(records, nowhere)).toEqual(['0', '3', '5']);
  });

  test('many equal texts take one comparison each at most', async () => {
    const records = Array.from({ length: 200_000 }, (_, at) => ({ id: `${at}`, text: 'the same again' }));
    const { clusterSize } = await clustersOf(records, nowhere);
    expect(clusterSize[199_999]).toBe(200_000);
  });

  test('many texts that are nearly equal, or share much without being alike, take linear time', async () => {
    const many = 20_000;
    const shared = Array.from({ length: 40 }, (_, at) => `shared${at}`).join(' ');
    const own = (at: number, words: number) =>
      Array.from({ length: words }, (_, word) => `own${at}x${word}`).join(' ');
    const family = Array.from({ length: many }, (_, at) => ({
      id: `f${at}`,
      text: `${shared} ${own(at, 1)}`,
    }));
    // In common 39 of 59 shingles: below the threshold of 0.8, near enough to meet in a band.
    const crowd = Array.from({ length: many }, (_, at) => ({
      id: `c${at}`,
      text: `${own(at, 10)} ${shared}`,
    }));
    const options = { ...optionsIn(temporaryFolder()), threshold: 0.8 };
    expect(await survivorsOf(family, options)).toEqual(['f0']);
    expect(await survivorsOf(crowd, options)).toHaveLength(many);
  });
});
