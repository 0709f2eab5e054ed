import { expect, test } from 'vitest';
import { createServiceCaller } from '../../../calls/limits/createServiceCaller.ts';
import type { CallMeter } from '../../../contract/calls.ts';
import type { SharedDatabase } from '../../../pipeline/workers/database/sharedDatabase.ts';
import { SharedTurns } from '../../../pipeline/workers/database/sharedTurns.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { VirtualTime } from './support/virtualTime.ts';

const perMinute = 60;
const calls = 240;
/** Longest that a request is on its way. */
const WAY_MS = 500;

/** A database of which only the limits are asked, in the time of a test. */
function limitsOnly(time: VirtualTime): SharedDatabase {
  let nextMs = 0;
  const query = async (_: string, values: readonly unknown[]) => {
    const spanMs = values.at(-1) as number;
    const beginsMs = Math.max(nextMs, time.monotonicMs());
    nextMs = beginsMs + spanMs;
    return [{ wait_ms: beginsMs - time.monotonicMs() }];
  };
  return { query } as unknown as SharedDatabase;
}

interface Case {
  readonly isShared: boolean;
  /** Waits for money; what is there at first. */
  readonly admitted: (time: VirtualTime, nth: number) => Promise<void>;
}

/** The most requests that a server sees in any minute, and how many a minute on average. */
async function mostInMinute({ isShared, admitted }: Case): Promise<{ most: number; average: number }> {
  const time = new VirtualTime();
  const random = seededRandom(3);
  const { signal } = new AbortController();
  const turns = isShared ? new SharedTurns(limitsOnly(time), 'r', time) : undefined;
  let asked = 0;
  const meter: CallMeter = {
    drain: signal,
    admit: async () => {
      await admitted(time, asked++);
      return { end: () => {} };
    },
    ...(turns && { turn: (limit, waiting) => turns.take(limit, waiting) }),
  };
  const call = createServiceCaller({
    baseUrl: 'http://a.example',
    apiKey: undefined,
    concurrency: 300,
    requestsPerMinute: perMinute,
    maxRetries: 0,
    clock: time,
    feeUsd: 0.01,
    meter,
  });
  const came: number[] = [];
  const attempt = async () => {
    await time.sleep(WAY_MS * random());
    came.push(time.monotonicMs());
  };
  await time.passUntilDone(
    Promise.all(Array.from({ length: calls }, (_, n) => call({ name: `q${n}`, attempt }, signal))),
  );
  came.sort((a, b) => a - b);
  const most = Math.max(...came.map((at) => came.filter((one) => one >= at && one < at + 60_000).length));
  return { most, average: (60_000 * (calls - 1)) / (came.at(-1)! - came[0]!) };
}

test.each([true, false])(
  'requests that take longer on their way than others are no more in a minute at the server than the limit (shared: %s)',
  async (isShared) => {
    const { most, average } = await mostInMinute({ isShared, admitted: async () => {} });
    expect(most).toBeLessThanOrEqual(perMinute);
    // What it costs.
    expect(average).toBeGreaterThan(0.98 * perMinute);
  },
);

test.each([true, false])(
  'requests that wait for money after their turn don’t leave together once it is there (shared: %s)',
  async (isShared) => {
    // Those of the first two minutes wait for one that gives money back.
    const admitted = (time: VirtualTime) => time.sleep(Math.max(0, 120_000 - time.monotonicMs()));
    const { most } = await mostInMinute({ isShared, admitted });
    expect(most).toBeLessThanOrEqual(perMinute);
  },
);
