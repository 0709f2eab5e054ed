import { describe, expect, test } from 'vitest';
import { RecentEntries } from '../../tools/recentEntries.ts';
import { createCachingSearch } from '../../tools/servers/searchEndpoint.ts';

const { signal } = new AbortController();
const limits = { maxEntries: 3, maxBytes: 100, maxAgeMs: 1000 };

function keep(entries: Record<string, number>, clock = { ms: 0 }) {
  const kept = new RecentEntries<string>(() => clock.ms, limits);
  for (const [key, bytes] of Object.entries(entries)) kept.put(key, `value of ${key}`, bytes);
  const left = () => Object.keys(entries).filter((key) => kept.get(key) !== undefined);
  return { kept, left };
}

describe('what is kept for a while', () => {
  test('is there until it is too old, however often it was asked for', () => {
    const clock = { ms: 0 };
    const { kept } = keep({ a: 1 }, clock);
    clock.ms = 999;
    expect(kept.get('a')).toBe('value of a');
    clock.ms = 1000;
    expect(kept.get('a')).toBeUndefined();
    kept.put('late', 'asked for before', 1, 1);
    clock.ms = 1001;
    expect(kept.get('late')).toBeUndefined();
  });

  test('goes where there are too many, the one that nobody asked for longest first', () => {
    const { kept, left } = keep({ a: 1, b: 1, c: 1 });
    kept.get('a');
    kept.put('d', 'value of d', 1);
    expect(left()).toEqual(['a', 'c']);
  });

  test('goes where all are too large; what is too large alone pushes out no other', () => {
    expect(keep({ a: 40, b: 40, c: 40 }).left()).toEqual(['b', 'c']);
    expect(keep({ a: 40, b: 40, huge: 101 }).left()).toEqual(['a', 'b']);
  });
});

test('an equal search is asked once; number and query tell searches apart, and a failure is not kept', async () => {
  const asked: string[] = [];
  const service = {
    search: async (query: string, num: number) => {
      asked.push(`${query}/${num}`);
      if (asked.length === 1) throw new Error('broken');
      return [{ title: query, link: 'http://a.example/' }];
    },
  };
  const search = createCachingSearch(service, () => 0);
  const ask = (query: string, num = 10) => search.search(query, num, signal);
  await expect(ask('a')).rejects.toThrow('broken');
  expect(await ask('a')).toEqual(await ask('a'));
  await ask('a', 1);
  await ask('b');
  expect(asked).toEqual(['a/10', 'a/10', 'a/1', 'b/10']);
});
