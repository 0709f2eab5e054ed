import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder } from '../../../base/threads/inOrder.ts';
import { threadCounts, useThreads } from './support/useThreads.ts';

/** What is read until the end or an error, which is the last. */
async function taken(given: AsyncIterable<{ readonly item: number; readonly result: number }>) {
  const all: unknown[] = [];
  try {
    for await (const { item, result } of given) all.push([item, result]);
  } catch (error) {
    all.push((error as Error).message);
  }
  return all;
}

/** Items of which some fail, and a reading that may break off. */
const plans = fc.record({
  items: fc.array(fc.record({ delay: fc.nat(3), fails: fc.boolean(), weight: fc.nat(3_000_000) }), {
    maxLength: 20,
  }),
  breaksOff: fc.boolean(),
});

test('items, results and errors come in the order of the items with any number of threads', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ items, breaksOff }) => {
      async function* read() {
        yield* items.keys();
        if (breaksOff) throw new Error('line 9 is cut off');
      }
      const run = async (at: number) => {
        for (let turn = 0; turn < items[at]!.delay; turn++) await new Promise(setImmediate);
        if (items[at]!.fails && at % 3 === 0) throw new Error(`item ${at}`);
        return at * 2;
      };
      const seen = [];
      for (const threads of threadCounts) {
        useThreads(threads);
        seen.push(await taken(inOrder(read(), run, { weigh: (at) => items[at]!.weight })));
      }
      for (const others of seen) expect(others).toEqual(seen[0]);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['one at a time with one thread', 1, 10, {}, 1],
  ['short items up to a number', 2, 10, {}, 256],
  ['long items up to a weight', 2, 1_000_000, {}, 4],
  ['so many for each thread', 3, 10, { itemsPerThread: 2 }, 6],
])('%s', async (_, threads, weight, more, expected) => {
  useThreads(threads);
  let open = 0;
  let most = 0;
  const run = async (at: number) => {
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    return at;
  };
  for await (const _ of inOrder(Array(1_000).keys(), run, { weigh: () => weight, ...more })) open -= 1;
  expect(most).toBe(expected);
});

test('reading ends when nobody takes any more', async () => {
  useThreads(2);
  let ended = false;
  async function* read() {
    try {
      for (let at = 0; ; at++) yield at;
    } finally {
      ended = true;
    }
  }
  const given = inOrder(read(), async (at) => at, { weigh: () => 1 });
  for await (const { item } of given) if (item === 3) break;
  expect(ended).toBe(true);
});
