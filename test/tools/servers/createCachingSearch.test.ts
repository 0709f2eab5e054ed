import { expect, test } from 'vitest';
import { createCachingSearch } from '../../../tools/servers/createCachingSearch.ts';

const { signal } = new AbortController();

function setUp(maxSearches = 2, maxBytes = 1_000_000) {
  const asked: string[] = [];
  let now = 0;
  let isBroken = false;
  const search = createCachingSearch(
    {
      search: async (query, num) => {
        asked.push(`${query}/${num}`);
        if (isBroken) throw new Error('broken');
        return [{ title: query, link: `http://a.example/${asked.length}` }];
      },
    },
    { maxSearches, maxBytes, maxAgeMs: 100, now: () => now },
  );
  return {
    asked,
    ask: async (query: string, num = 10) => (await search.search(query, num, signal))[0]!.link,
    pass: (ms: number) => {
      now += ms;
    },
    breakDown: (broken: boolean) => {
      isBroken = broken;
    },
  };
}

test('an equal search is asked once, until its results are old', async () => {
  const { ask, asked, pass } = setUp();
  const first = await ask('a');
  pass(99);
  expect(await ask('a')).toBe(first);
  pass(1);
  expect(await ask('a')).not.toBe(first);
  expect(asked).toEqual(['a/10', 'a/10']);
});

test('query and number tell searches apart', async () => {
  const { ask, asked } = setUp(10);
  await ask('a', 1);
  await ask('a', 2);
  await ask('b', 1);
  expect(asked).toEqual(['a/1', 'a/2', 'b/1']);
});

test('the search that was used longest ago goes first', async () => {
  const { ask, asked } = setUp();
  for (const query of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(query);
  expect(asked).toEqual(['a/10', 'b/10', 'c/10', 'b/10']);
});

test('a failure is not kept', async () => {
  const { ask, asked, breakDown } = setUp();
  breakDown(true);
  await expect(ask('a')).rejects.toThrow('broken');
  breakDown(false);
  await ask('a');
  expect(asked).toHaveLength(2);
});

test('all that is kept is no larger than it may be; what is larger alone is not kept', async () => {
  const { ask, asked } = setUp(100, 4_000);
  const queries = ['a', 'b', 'c'].map((letter) => letter.repeat(400));
  for (const query of queries) await ask(query);
  // The first had to go for the third.
  await ask(queries[2]!);
  await ask(queries[1]!);
  expect(asked).toHaveLength(3);
  await ask(queries[0]!);
  await ask('x'.repeat(2_000));
  await ask('x'.repeat(2_000));
  expect(asked).toHaveLength(6);
  // It did not push out the others.
  await ask(queries[0]!);
  expect(asked).toHaveLength(6);
});
