import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../base/clock.ts';
import { isPassing, retryWaitMs } from '../../../tools/fetch/fetchPage.ts';
import { HostTurns } from '../../../tools/fetch/hostTurns.ts';
import { page, politeCrawler } from '../crawl/support/crawlOne.ts';

/** A clock that stands still until somebody sleeps; sleepers wake in order. */
class SteppedClock implements Clock {
  ms = 0;
  readonly now = () => this.ms;
  readonly monotonicMs = () => this.ms;
  readonly sleep = async (ms: number) => {
    const until = this.ms + ms;
    await new Promise((done) => setTimeout(done, ms));
    this.ms = Math.max(this.ms, until);
  };
}

const { signal } = new AbortController();

describe('passing faults', () => {
  const failing = (failures: number, fail: RequestListener): RequestListener => {
    let left = failures;
    return (request, response) => (left-- > 0 ? fail(request, response) : page('at last')(request, response));
  };
  const busy =
    (status: number): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'retry-after': '0' }).end();
  const limits = { robots: 'ignore' } as const;

  test.each([429, 502, 503, 504])('a %i is retried', async (status) => {
    const { read, asked } = await politeCrawler(failing(2, busy(status)), limits);
    expect(await read('/')).toMatchObject([{ ok: true, text: 'at last' }]);
    expect(asked()).toHaveLength(3);
  });

  test('a broken connection is retried', async () => {
    const { read, asked } = await politeCrawler(
      failing(1, (request) => void request.socket.resetAndDestroy()),
      limits,
    );
    expect(await read('/')).toMatchObject([{ ok: true, text: 'at last' }]);
    expect(asked()).toHaveLength(2);
  });

  test('but not for ever, and no other fault', async () => {
    const { read, asked } = await politeCrawler(failing(9, busy(503)), { ...limits, maxRetries: 1 });
    expect(await read('/')).toMatchObject([{ ok: false, reason: 'HTTP status 503' }]);
    expect(asked()).toHaveLength(2);
    const gone = await politeCrawler(failing(9, busy(404)), limits);
    expect(await gone.read('/')).toMatchObject([{ ok: false, reason: 'HTTP status 404' }]);
    expect(gone.asked()).toHaveLength(1);
  });

  test('a server that asks for a long wait is not asked again', async () => {
    const { read, asked } = await politeCrawler((_request, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    }, limits);
    expect(await read('/')).toMatchObject([{ ok: false, reason: 'HTTP status 429' }]);
    expect(asked()).toHaveLength(1);
  });

  test('and a wait that the time does not allow is not begun', async () => {
    const { read, asked } = await politeCrawler(
      (_request, response) => void response.writeHead(503, { 'retry-after': '5' }).end(),
      { ...limits, timeoutMs: 4_000 },
    );
    expect(await read('/')).toMatchObject([{ ok: false, reason: 'HTTP status 503' }]);
    expect(asked()).toHaveLength(1);
  });

  test('waits are what the server asks for, in seconds or as a date, otherwise longer each time', () => {
    expect([0, 1, 2].map((tries) => retryWaitMs(tries, undefined))).toEqual([500, 1000, 2000]);
    expect(retryWaitMs(0, '3')).toBe(3000);
    expect(retryWaitMs(0, 'Thu, 01 Jan 1970 00:00:02 GMT', () => 500)).toBe(1500);
    expect(retryWaitMs(0, 'Thu, 01 Jan 1970 00:00:02 GMT', () => 9000)).toBe(0);
    expect(retryWaitMs(0, '6')).toBeUndefined();
    expect(retryWaitMs(0, 'soon')).toBe(500);
    expect(isPassing({ kind: 'elsewhere', location: '/' }, undefined)).toBe(false);
  });
});

describe('turns', () => {
  test('a host gets so many requests at once, and all hosts together so many', async () => {
    const turns = new HostTurns({ perHost: 2, intervalMs: 0, total: 3 }, new SteppedClock());
    const running = new Map<string, number>();
    let most = 0;
    const work = async (host: string) => {
      running.set(host, (running.get(host) ?? 0) + 1);
      expect(running.get(host)).toBeLessThanOrEqual(2);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, count) => sum + count),
      );
      await new Promise((done) => setTimeout(done, 2));
      running.set(host, running.get(host)! - 1);
      return host;
    };
    const hosts = Array.from({ length: 30 }, (_, index) => `${index % 3}.example`);
    const done = await Promise.all(hosts.map((host) => turns.run(host, signal, () => work(host))));
    expect(done).toEqual(hosts);
    expect(most).toBe(3);
  });

  test('the same host is left alone for the interval, in order', async () => {
    const clock = new SteppedClock();
    const turns = new HostTurns({ perHost: 5, intervalMs: 30, total: 5 }, clock);
    const starts: [number, number][] = [];
    const ask = (index: number) =>
      turns.run('a.example', signal, async () => void starts.push([index, clock.monotonicMs()]));
    await Promise.all([0, 1, 2].map(ask));
    await turns.run('b.example', signal, async () => void starts.push([3, clock.monotonicMs()]));
    clock.ms += 1000;
    await ask(4);
    expect(starts).toEqual([
      [0, 0],
      [1, 30],
      [2, 60],
      [3, 60],
      [4, 1060],
    ]);
  });

  test('who gives up waiting leaves the line, and a failure its slot', async () => {
    const turns = new HostTurns({ perHost: 1, intervalMs: 0, total: 1 }, new SteppedClock());
    const holder = Promise.withResolvers<void>();
    const held = turns.run('a.example', signal, () => holder.promise);
    const leaving = new AbortController();
    const left = turns.run('a.example', leaving.signal, () => Promise.resolve('never'));
    const next = turns.run('a.example', signal, () => Promise.reject(new Error('broken')));
    const other = turns.run('b.example', signal, () => Promise.resolve('other'));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    holder.resolve();
    await held;
    await expect(next).rejects.toThrow('broken');
    expect(await other).toBe('other');
    expect(await turns.run('a.example', signal, () => Promise.resolve('free'))).toBe('free');
  });

  test('requests of a crawl take them', async () => {
    let [running, most] = [0, 0];
    const two = Promise.withResolvers<void>();
    const { read } = await politeCrawler(
      async (request, response) => {
        running += 1;
        most = Math.max(most, running);
        if (most === 2) two.resolve();
        await two.promise;
        setTimeout(() => {
          running -= 1;
          page('x')(request, response);
        }, 5);
      },
      { robots: 'ignore' },
    );
    await read('/1', '/2', '/3', '/4', '/5', '/6');
    expect(most).toBe(2);
  });
});
