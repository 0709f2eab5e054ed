import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VectorIndex, type VectorRecord } from '../../../stages/dedup/index/vectorIndex.ts';
import { cases } from '../../support/cases.ts';
import { seededRandom } from '../../support/seededRandom.ts';

const signal = new AbortController().signal;

/** Vectors about so many centres, each at an angle of its own from its centre. */
function corpus(seed: number, count: number, dimensions: number, centres: number): VectorRecord[] {
  const random = seededRandom(seed);
  const vector = () => Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const middles = Array.from({ length: centres }, vector);
  return Array.from({ length: count }, (_, at) => {
    const [noise, spread] = [vector(), random() * 0.6];
    const middle = middles[Math.floor(random() * centres)]!;
    return {
      id: `r${(at * 7919) % count}`,
      vector: middle.map((number, place) => number + spread * noise[place]!),
      quality: Math.floor(random() * 3),
      group: random() < 0.9 ? 'a' : 'b',
      answers: [],
    };
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, number, at) => sum + number * y[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

async function indexed(records: readonly VectorRecord[], minCosine: number, spillFolder = '/nonexistent') {
  const index = new VectorIndex({ minCosine, spillFolder });
  for (const record of records) index.add(record);
  const { kept, similarity: cosines, clusterSize } = await index.cluster(signal);
  index.close();
  return {
    survivors: new Map(records.map(({ id }, at) => [id, index.idOf(kept[at]!)])),
    cosines,
    clusterSize,
  };
}

describe('vectors', () => {
  test.each([0.7, 0.9, 0.95, 0.99])(
    'who stays at %d is near none of those that stay, and every other one is near the one that stays',
    async (minCosine) => {
      for (const seed of [1, 2, 3]) {
        const records = corpus(seed, 300, 48, 60);
        const { survivors } = await indexed(records, minCosine);
        const byId = new Map(records.map((record) => [record.id, record]));
        const stay = records.filter(({ id }) => survivors.get(id) === id);
        for (const { id, vector, group } of records) {
          const keeper = byId.get(survivors.get(id)!)!;
          expect(keeper.group).toBe(group);
          expect(cosine(vector, keeper.vector)).toBeGreaterThanOrEqual(minCosine - 1e-6);
        }
        // Of pairs exactly at the threshold 1 in 200 never meets.
        const missed = stay.filter((one, at) =>
          stay
            .slice(at + 1)
            .some((two) => one.group === two.group && cosine(one.vector, two.vector) > minCosine),
        );
        expect(missed.length).toBeLessThanOrEqual(1);
        expect(stay.length).toBeLessThan(300);
      }
    },
  );

  test('nearly all pairs just above the threshold meet, and none below it is joined', async () => {
    const random = seededRandom(5);
    const normal = () => random() + random() + random() + random() - 2;
    const records: VectorRecord[] = [];
    // Pairs of planted angles, each pair far from all others by its dimension.
    for (let pair = 0; pair < 1000; pair++) {
      const planted = pair % 2 === 0 ? 0.955 : 0.945;
      const one = Float32Array.from({ length: 256 }, normal);
      const noise = Float32Array.from({ length: 256 }, normal);
      const along = cosine(one, noise) * Math.sqrt(norm(noise) / norm(one));
      const across = noise.map((number, at) => number - along * one[at]!);
      const scale = Math.sqrt((norm(one) / norm(across)) * (1 / planted ** 2 - 1));
      const other = one.map((number, at) => number + scale * across[at]!);
      for (const [name, vector] of [
        ['a', one],
        ['b', other],
      ] as const)
        records.push({ id: `${name}${pair}`, vector, quality: 0, group: '', answers: [] });
    }
    const { survivors, cosines } = await indexed(records, 0.95);
    const joined = records.filter(({ id }) => survivors.get(id) !== id);
    expect(joined.every(({ id }) => Number(id.slice(1)) % 2 === 0)).toBe(true);
    expect(joined.length).toBeGreaterThanOrEqual(495);
    for (const [at, { id }] of records.entries())
      if (survivors.get(id) !== id) expect(cosines[at]).toBeCloseTo(0.955, 4);
  });

  test('neither order nor scale matters', async () => {
    const records = corpus(9, 400, 16, 90);
    const { survivors } = await indexed(records, 0.95);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(records, { minLength: records.length }),
        fc.integer({ min: -20, max: 20 }),
        async (shuffled, power) => {
          const scaled = shuffled.map((record) => ({
            ...record,
            vector: record.vector.map((number) => number * 2 ** power),
          }));
          expect((await indexed(scaled, 0.95)).survivors).toEqual(
            new Map(scaled.map(({ id }) => [id, survivors.get(id)!])),
          );
        },
      ),
      { numRuns: cases(25) },
    );
  });

  test('equal directions are one at a cosine of 1, opposite ones and other groups are not', async () => {
    const vector = Float32Array.from({ length: 1536 }, seededRandom(1));
    const records = [
      { id: 'a', vector, quality: 0, group: 'x', answers: [] },
      { id: 'b', vector: vector.map((number) => number / 3), quality: 1, group: 'x', answers: [] },
      { id: 'c', vector: vector.map((number) => -number), quality: 0, group: 'x', answers: [] },
      { id: 'd', vector, quality: 0, group: 'y', answers: [] },
    ];
    const { survivors, clusterSize } = await indexed(records, 1);
    expect([...survivors.values()]).toEqual(['b', 'b', 'c', 'd']);
    expect([...clusterSize]).toEqual([2, 2, 1, 1]);
  });

  test('a vector of another length is an error', () => {
    const index = new VectorIndex({ minCosine: 0.9, spillFolder: '/nonexistent' });
    const add = (id: string, length: number) =>
      index.add({ id, vector: new Float32Array(length).fill(1), quality: 0, group: '', answers: [] });
    add('a', 3);
    expect(() => add('b', 4)).toThrow('record b: 4 numbers where others have 3');
  });
});

function norm(vector: Float32Array): number {
  return vector.reduce((sum, number) => sum + number * number, 0);
}
