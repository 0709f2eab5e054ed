import { expect, test } from 'vitest';
import { ThreadedWork } from '../../../base/threads/threadedWork.ts';
import { threadLimit } from '../../../base/threads/threadMessages.ts';
import { maxHereWeight } from '../../../base/threads/threadPool.ts';
import { UserError } from '../../../base/userError.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type NumberItem, open } from './support/numberWork.ts';
import { threadCounts, useThreads } from './support/useThreads.ts';

const module = new URL('./support/numberThread.ts', import.meta.url);

const addTo = (added = 1) => new ThreadedWork({ module, open, settings: { added }, weigh: () => 1_000 });
const add = (number: number): NumberItem => ({ number, how: 'add' });

/** Has numbers added until so many threads besides this one have taken part, and gives all that did. */
async function threadsAtWork(work: ReturnType<typeof addTo>, others: number): Promise<Set<number>> {
  const used = new Set<number>();
  await waitUntil(`${others} other threads`, async () => {
    const sums = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => work.run(add(number))));
    for (const { threadId } of sums) used.add(threadId);
    return used.size > others;
  });
  return used;
}

async function thrownBy(item: NumberItem): Promise<Error> {
  const work = addTo();
  // A ready thread takes the next item.
  await threadsAtWork(work, threadLimit.threads - 1);
  const error = await work.run(item).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  await work.close();
  return error!;
}

test.each(threadCounts)('%i threads at most, this one among them', async (threads) => {
  useThreads(threads);
  const work = addTo();
  const used = await threadsAtWork(work, threads - 1);
  const results = await Promise.all(Array.from({ length: 500 }, (_, number) => work.run(add(number))));
  await work.close();
  expect(results.map(({ sum }) => sum)).toEqual(results.map((_, number) => number + 1));
  for (const { threadId } of results) used.add(threadId);
  expect(used.size).toBe(threads);
  expect(used).toContain(0);
});

test.each(threadCounts)(
  'of %i threads this one takes a heavy item only where it is alone',
  async (threads) => {
    useThreads(threads);
    const heavy = () =>
      new ThreadedWork({ module, open, settings: { added: 1 }, weigh: () => maxHereWeight + 1 });
    // The second waits for the threads that the first has.
    const works = [heavy(), heavy()];
    const sums = await Promise.all([1, 2, 3, 4].flatMap((n) => works.map((work) => work.run(add(n)))));
    for (const work of works) await work.close();
    expect(sums.map(({ sum }) => sum)).toEqual([2, 2, 3, 3, 4, 4, 5, 5]);
    expect(sums.some(({ threadId }) => threadId === 0)).toBe(threads === 1);
  },
);

test('two works share the threads, and one may close before the other', async () => {
  useThreads(3);
  const [ones, tens] = [addTo(1), addTo(10)];
  await threadsAtWork(ones, 2);
  await threadsAtWork(tens, 1);
  const both = await Promise.all([1, 2, 3, 4].flatMap((n) => [ones.run(add(n)), tens.run(add(n))]));
  expect(both.map(({ sum }) => sum)).toEqual([2, 11, 3, 12, 4, 13, 5, 14]);
  await ones.close();
  await expect(ones.run(add(1))).rejects.toThrow(/closed/);
  await expect(tens.run(add(5))).resolves.toMatchObject({ sum: 15 });
  await tens.close();
});

test('little work starts no thread', async () => {
  Object.assign(threadLimit, { threads: 2, hereFirstMs: 60_000 });
  const work = addTo();
  const ids = [];
  for (const number of [1, 2]) ids.push((await work.run(add(number))).threadId);
  threadLimit.hereFirstMs = 0;
  expect(await threadsAtWork(work, 1)).toHaveProperty('size', 2);
  await work.close();
  expect(ids).toEqual([0, 0]);
});

test.each([1, 2])('errors keep class, message and cause with %i threads', async (threads) => {
  useThreads(threads);
  const mistake = await thrownBy({ number: 7, how: 'user error' });
  expect(mistake).toBeInstanceOf(UserError);
  expect(mistake.message).toBe('rows.jsonl line 7: expected a word');
  expect(mistake.stack).toMatch(/numberWork\.ts/);
  const broken = await thrownBy({ number: 8, how: 'error' });
  expect(broken).toBeInstanceOf(TypeError);
  expect(broken.message).toBe('broken');
  expect((broken.cause as Error).message).toBe('cause 8');
});

test.each([1, 2])('what opening throws is thrown to the items, with %i threads', async (threads) => {
  useThreads(threads);
  const work = addTo(-1);
  await expect(work.run(add(1))).rejects.toThrow(UserError);
  await work.close();
});

test('a thread that ends takes its items along, and others take its place', async () => {
  useThreads(2);
  const work = addTo();
  await threadsAtWork(work, 1);
  await expect(work.run({ number: 1, how: 'exit' })).rejects.toThrow(
    /^the worker thread of numberThread\.ts ended with code 3/,
  );
  await expect(threadsAtWork(work, 1)).resolves.toHaveProperty('size', 2);
  await work.close();
});

test('an item that cannot be copied is refused, and the next one is worked on', async () => {
  useThreads(2);
  const work = addTo();
  await threadsAtWork(work, 1);
  await expect(work.run({ ...add(1), secret: () => 1 } as NumberItem)).rejects.toThrow(/could not be cloned/);
  await expect(work.run(add(2))).resolves.toMatchObject({ sum: 3 });
  await work.close();
});

test('a heavy item that comes while this thread works on another is worked on', async () => {
  useThreads(2);
  const gate = Promise.withResolvers<void>();
  const here: typeof open = (settings) => async (item) => {
    await gate.promise;
    return (await open(settings))(item);
  };
  const weigh = ({ number }: NumberItem) => (number < 0 ? maxHereWeight + 1 : 1_000);
  const work = new ThreadedWork({ module, open: here, settings: { added: 1 }, weigh });
  // The thread is ready, and idle once it has what this thread leaves.
  await work.run(add(-1));
  let settled = 0;
  const light = Array.from({ length: 400 }, async (_, number) => {
    await work.run(add(number));
    settled += 1;
  });
  await waitUntil('all but the item that this thread works on', () => settled === light.length - 1);
  const heavy = work.run(add(-2));
  gate.resolve();
  await expect(heavy).resolves.toMatchObject({ sum: -1 });
  await Promise.all(light);
  await work.close();
});

test('closing rejects what no thread has begun', async () => {
  useThreads(2);
  const work = addTo();
  const all = Array.from({ length: 1_000 }, (_, number) => work.run(add(number)));
  const settled = Promise.allSettled(all);
  await work.close();
  expect((await settled).at(-1)).toMatchObject({ status: 'rejected' });
});
