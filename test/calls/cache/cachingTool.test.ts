import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { type CachingToolOptions, createCachingTool } from '../../../calls/cache/createCachingTool.ts';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { stillClock } from '../../teachers/support/clocks.ts';

const never = new AbortController().signal;

/** A tool that numbers its results and fails when it is told to. */
function countingTool(): Tool & { readonly called: JsonObject[] } {
  const called: JsonObject[] = [];
  return {
    called,
    name: 'web_search',
    definition: { name: 'web_search', description: 'Searches.', parameters: {} },
    parseInput: (input) => ({ ok: true, input: input as JsonObject }),
    async call(input) {
      const n = called.push(input);
      if (input.query === 'fail') throw new RecordFailure('tool_unavailable', 'down');
      return { observation: `result ${n}`, raw: { n, results: ['ä', null] } };
    },
  };
}

const openCache = async (folder = temporaryFolder()) =>
  closesWithTest(await SqliteAnswerCache.open(join(folder, 'cache.sqlite'), () => {}));

/** The tool before a cache. */
const caching = (options: Pick<CachingToolOptions, 'tool' | 'cache'> & Partial<CachingToolOptions>) =>
  createCachingTool({ provider: 'local', settings: {}, offline: false, clock: stillClock(), ...options });

test('of two processes that call at once, both go on with the result that is kept', async () => {
  const folder = temporaryFolder();
  const caches = [await openCache(folder), await openCache(folder)];
  const tool = countingTool();
  const results = await Promise.all(
    caches.map((cache) => caching({ tool, cache }).call({ query: 'a' }, never)),
  );
  expect(tool.called).toHaveLength(2);
  expect(results[0]).toEqual(results[1]);
});

test('results are kept by tool, settings, input and service; failures are not; offline nobody is called', async () => {
  const tool = countingTool();
  const one = { tool, cache: await openCache(), provider: 'https://one.example' };

  const first = await caching(one).call({ query: 'a', num: 1 }, never, { task_id: 'task_1' });
  expect(first.cached).toBe(false);
  const again = { ...first, cached: true };
  expect(await caching(one).call({ num: 1, query: 'a' }, never, { task_id: 'task_2' })).toEqual(again);
  expect(tool.called).toHaveLength(1);

  await caching(one).call({ query: 'b' }, never);
  await caching({ ...one, provider: 'https://two.example' }).call({ query: 'b' }, never);
  await caching({ ...one, settings: { num: 3 } }).call({ query: 'b' }, never);
  expect(tool.called).toHaveLength(4);

  const work = { task_id: 'task_3' };
  const same = caching(one);
  const twice = [await same.call({ query: 'c' }, never, work), await same.call({ query: 'c' }, never, work)];
  expect(twice.map(({ observation }) => observation)).toEqual(['result 5', 'result 6']);

  for (const times of [7, 8]) {
    await expect(caching(one).call({ query: 'fail' }, never)).rejects.toThrow('down');
    expect(tool.called).toHaveLength(times);
  }

  const offline = caching({ ...one, provider: 'https://moved.example', offline: true });
  expect(await offline.call({ query: 'a', num: 1 }, never)).toEqual(again);
  await expect(offline.call({ query: 'new' }, never, { task_id: 'task_9' })).rejects.toThrow(
    /the cache holds no answer to a call of web_search for task_9/,
  );
  expect(tool.called).toHaveLength(8);
});

test('a goal tells the results of a tool apart that heeds it, and of no other', async () => {
  const cache = await openCache();
  const goals = [{ question: 'Who?' }, { question: 'Who?', thinking: 'The mayor.' }];
  const calledWith = async (tool: Tool & { readonly called: JsonObject[] }) => {
    const settings = { heeds: tool.dependsOnGoal === true };
    for (const goal of [...goals, ...goals])
      await caching({ tool, cache, settings }).call({ query: 'a' }, never, undefined, goal);
    return tool.called.length;
  };
  expect(await calledWith(countingTool())).toBe(1);
  expect(await calledWith({ ...countingTool(), dependsOnGoal: true })).toBe(2);
});

test('of equal calls that are under way at once one asks, and the others are answered by it', async () => {
  const tool = countingTool();
  const one = caching({ tool, cache: await openCache() });
  const calls = ['task_1', 'task_2', 'task_3'].map((task_id) => one.call({ query: 'a' }, never, { task_id }));
  expect((await Promise.all(calls)).map(({ cached }) => cached)).toEqual([false, true, true]);
  expect(tool.called).toHaveLength(1);
});
