import { expect, test } from 'vitest';
import { SingleFlight } from '../../../calls/cache/singleFlight.ts';
import { RecordFailure } from '../../../contract/errors.ts';

const never = new AbortController().signal;

test('equal work under way is done once for all who ask, later work again', async () => {
  const flights = new SingleFlight<number>();
  let done = 0;
  const work = async () => {
    await new Promise(setImmediate);
    return ++done;
  };
  const asked = ['a', 'a', 'b', 'a'].map((key) => flights.run(key, never, work));
  expect(await Promise.all(asked)).toEqual([1, 1, 2, 1]);
  expect(await flights.run('a', never, work)).toBe(3);
});

test("a failure of the work is everybody's", async () => {
  const flights = new SingleFlight<number>();
  let begun = 0;
  const work = async () => {
    begun += 1;
    await new Promise(setImmediate);
    throw new RecordFailure('endpoint_error', 'gone');
  };
  const asked = [flights.run('a', never, work), flights.run('a', never, work)];
  for (const call of asked) await expect(call).rejects.toThrow('gone');
  expect(begun).toBe(1);
});

test('when the one who began gives up, the next begins again; who gave up waits no longer', async () => {
  const flights = new SingleFlight<string>();
  const first = new AbortController();
  const second = new AbortController();
  const begun: string[] = [];
  const work = (name: string, signal: AbortSignal) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      signal.addEventListener('abort', () => reject(signal.reason));
      if (name === 'third') setImmediate(() => resolve(name));
    });
  const one = flights.run('a', first.signal, work('first', first.signal));
  const two = flights.run('a', second.signal, work('second', second.signal));
  const three = flights.run('a', never, work('third', never));
  second.abort(new Error('second gave up'));
  await expect(two).rejects.toThrow('second gave up');
  first.abort(new Error('first gave up'));
  await expect(one).rejects.toThrow('first gave up');
  expect(await three).toBe('third');
  expect(begun).toEqual(['first', 'third']);
});
