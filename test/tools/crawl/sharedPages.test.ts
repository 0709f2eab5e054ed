import { describe, expect, test } from 'vitest';
import type { PageText } from '../../../tools/crawlPage/pageText.ts';
import { SharedPages } from '../../../tools/crawlPage/sharedPages.ts';

const { signal } = new AbortController();
const clock = { ms: 0, now: () => clock.ms, monotonicMs: () => clock.ms, sleep: () => Promise.resolve() };
const limits = { maxAgeMs: 1000, maxEntries: 3, maxBytes: 1_000_000 };
const page = (text: string): PageText => ({ ok: true, text, finalUrl: '', contentType: '', cut: false });

/** Loads pages that say how often they were loaded. */
function loader(result: (count: number) => PageText = (count) => page(`load ${count}`)) {
  let count = 0;
  return async () => result(++count);
}

describe('pages that several want', () => {
  test('are kept for a while', async () => {
    const pages = new SharedPages(clock, limits);
    const load = loader();
    const get = () => pages.get('u', signal, load);
    expect([await get(), await get()]).toEqual([page('load 1'), page('load 1')]);
    clock.ms += 999;
    expect(await get()).toEqual(page('load 1'));
    clock.ms += 1;
    expect(await get()).toEqual(page('load 2'));
  });

  test('are not kept when they could not be had', async () => {
    const pages = new SharedPages(clock, limits);
    const load = loader((count) => (count === 1 ? { ok: false, reason: 'busy' } : page('there')));
    expect(await pages.get('u', signal, load)).toEqual({ ok: false, reason: 'busy' });
    expect(await pages.get('u', signal, load)).toEqual(page('there'));
  });

  test('are loaded once for all who wait, until the last of them gives up', async () => {
    const pages = new SharedPages(clock, limits);
    let stopped = false;
    let loads = 0;
    const load = (stop: AbortSignal) =>
      new Promise<PageText>((_resolve, reject) => {
        loads += 1;
        stop.addEventListener('abort', () => {
          stopped = true;
          reject(stop.reason);
        });
      });
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [first, second].map((own) => pages.get('u', own.signal, load));
    first.abort(new Error('first left'));
    await expect(waiting[0]).rejects.toThrow('first left');
    expect([loads, stopped]).toEqual([1, false]);
    second.abort(new Error('second left'));
    await expect(waiting[1]).rejects.toThrow('second left');
    expect(stopped).toBe(true);
    expect(await pages.get('u', signal, loader())).toEqual(page('load 1'));
  });

  test('fail for all who wait', async () => {
    const pages = new SharedPages(clock, limits);
    const load = () => Promise.reject(new Error('broken'));
    const both = [1, 2].map(() => pages.get('u', signal, load));
    for (const one of both) await expect(one).rejects.toThrow('broken');
  });
});
