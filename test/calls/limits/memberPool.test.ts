import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import type { AttemptVerdict, EndpointLease } from '../../../contract/endpointPool.ts';
import { poolMember } from './support/simulateWork.ts';
import { VirtualTime } from './support/virtualTime.ts';

const never = new AbortController().signal;
const answered: AttemptVerdict = { kind: 'answered', tokens: 100 };
const faulty: AttemptVerdict = { kind: 'faulty', reason: new Error('500') };
const wish = (attempt = 0) => ({ attempt, tokens: 100 });

function poolOf(...members: Parameters<typeof poolMember>[0][]) {
  const time = new VirtualTime();
  return { time, pool: createEndpointPools(time)(members.map((member) => poolMember(member))) };
}

describe('who goes first', () => {
  test('those with the most retries, then those who came first', async () => {
    const { pool } = poolOf({ concurrency: 1 });
    const order: string[] = [];
    const held = await pool.acquire(wish(), never);
    const work = [
      ['new 1', 0],
      ['new 2', 0],
      ['second retry', 2],
      ['first retry', 1],
    ].map(async ([name, attempt]) => {
      const lease = await pool.acquire(wish(attempt as number), never);
      order.push(name as string);
      lease.settle(answered);
    });
    held.settle(answered);
    await Promise.all(work);
    expect(order).toEqual(['second retry', 'first retry', 'new 1', 'new 2']);
  });

  test('who is stopped while waiting rejects with the reason and is passed over', async () => {
    const { pool } = poolOf({ concurrency: 1 });
    const held = await pool.acquire(wish(), never);
    const stop = new AbortController();
    const reason = new Error('stopped');
    const stopped = pool.acquire(wish(3), stop.signal);
    const next = pool.acquire(wish(), never);
    stop.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    held.settle(answered);
    await expect(next).resolves.toBeDefined();
    await expect(pool.acquire(wish(), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

const randomMember = fc.record({
  slots: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  weight: fc.integer({ min: 1, max: 3 }),
  fallback: fc.boolean(),
});
const calls = fc.array(fc.record({ lane: fc.nat({ max: 12 }), ends: fc.nat({ max: 12 }) }), {
  maxLength: 60,
});

test('each lane has one slot of one member to itself, whatever else is in flight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomMember, { minLength: 1, maxLength: 4 }),
      calls,
      async (members, order) => {
        const settings = members.map((member, at) => ({
          ...member,
          baseUrl: `http://${at}/v1`,
          concurrency: 40,
        }));
        const { pool } = poolOf(...settings);
        const lanes = settings.reduce((sum, { slots = 0, fallback }) => sum + (fallback ? 0 : slots), 0);
        const laneOf = new Map<string, number>();
        const inFlight = new Map<number, EndpointLease>();
        for (const { lane, ends } of order) {
          inFlight.get(ends)?.settle(answered);
          inFlight.delete(ends);
          if (inFlight.has(lane)) continue;
          const lease = await pool.acquire({ ...wish(), lane }, never);
          inFlight.set(lane, lease);
          expect(lease.slot !== undefined).toBe(lane < lanes);
          if (lease.slot === undefined) continue;
          const place = `${lease.member.baseUrl} ${lease.slot}`;
          expect(laneOf.get(place) ?? lane).toBe(lane);
          laneOf.set(place, lane);
        }
        expect(new Set(laneOf.values()).size).toBe(laneOf.size);
        expect((await pool.acquire(wish(), never)).slot).toBeUndefined();
      },
    ),
  );
});

test('free slots are those of the fullest pool, and none where somebody waits', async () => {
  const pools = createEndpointPools(new VirtualTime());
  expect(pools.freeSlots()).toBe(0);
  const small = pools([poolMember({ concurrency: 2 })]);
  pools([poolMember({ baseUrl: 'http://b/v1', concurrency: 9 })]);
  expect(pools.freeSlots()).toBe(2);
  const first = await small.acquire(wish(), never);
  expect(pools.freeSlots()).toBe(1);
  const second = await small.acquire(wish(), never);
  const waits = small.acquire(wish(), never);
  expect(pools.freeSlots()).toBe(0);
  first.settle(answered);
  (await waits).settle(answered);
  second.settle({ kind: 'barred', reason: new Error('401') });
  expect(pools.freeSlots()).toBe(0);
});

describe('rates', () => {
  test('requests a minute are kept to, and made use of', async () => {
    const { time, pool } = poolOf({ requestsPerMinute: 30 });
    const sentAt: number[] = [];
    const work = Array.from({ length: 40 }, async () => {
      const lease = await pool.acquire(wish(), never);
      sentAt.push(time.now());
      lease.settle(answered);
    });
    await time.passUntilDone(Promise.all(work));
    expect(sentAt.filter((at) => at < 60_000)).toHaveLength(30);
  });

  test('tokens a minute count what was used, not what was reckoned', async () => {
    const { time, pool } = poolOf({ tokensPerMinute: 6000 });
    const ask = async (reckoned: number, used: number) => {
      const lease = await pool.acquire({ attempt: 0, tokens: reckoned }, never);
      lease.settle({ kind: 'answered', tokens: used });
    };
    await time.passUntilDone(
      (async () => {
        for (let n = 0; n < 60; n++) await ask(1000, 100);
      })(),
    );
    expect(time.now()).toBeGreaterThan(55_000);
    expect(time.now()).toBeLessThan(62_000);
  });
});

describe('several members', () => {
  const two = [
    { baseUrl: 'http://a.example/v1', weight: 3 },
    { baseUrl: 'http://b.example/v1', weight: 1 },
  ];

  async function send(pool: ReturnType<typeof poolOf>['pool'], times: number): Promise<EndpointLease[]> {
    return Promise.all(Array.from({ length: times }, () => pool.acquire(wish(), never)));
  }

  const countOf = (leases: readonly EndpointLease[], name: string) =>
    leases.filter(({ member }) => member.baseUrl.includes(name)).length;

  test('share by weight', async () => {
    const { pool } = poolOf(...two);
    const leases = await send(pool, 16);
    expect([countOf(leases, 'a.example'), countOf(leases, 'b.example')]).toEqual([12, 4]);
  });

  test('a retry goes to another than the one that failed it', async () => {
    const { pool } = poolOf(...two);
    const first = await pool.acquire(wish(), never);
    first.settle(faulty);
    const { member } = await pool.acquire({ ...wish(1), avoid: first.member }, never);
    expect(member).not.toBe(first.member);
  });

  test('one that refuses our key gets no more', async () => {
    const { pool } = poolOf(...two);
    const first = await pool.acquire(wish(), never);
    first.settle({ kind: 'barred', reason: new Error('401') });
    expect(pool.hasOther(new Set([first.member]))).toBe(true);
    const leases = await send(pool, 8);
    expect(leases.every(({ member }) => member !== first.member)).toBe(true);
    expect(pool.hasOther(new Set([leases[0]!.member]))).toBe(false);
  });

  test('a fallback serves only while no other is healthy', async () => {
    const { time, pool } = poolOf(two[0], { ...two[1], fallback: true });
    for (const lease of await send(pool, 16)) lease.settle(faulty);
    const meanwhile = await pool.acquire(wish(), never);
    expect(countOf([meanwhile], 'b.example')).toBe(1);
    meanwhile.settle(answered);
    await time.passUntilDone(time.sleep(1000));
    const probe = await pool.acquire(wish(), never);
    expect(countOf([probe], 'a.example')).toBe(1);
    probe.settle(answered);
    expect(countOf(await send(pool, 5), 'a.example')).toBe(5);
  });

  test('pools that share an address and key share its limits', async () => {
    const time = new VirtualTime();
    const pools = createEndpointPools(time);
    const [one, other] = [pools([poolMember({ concurrency: 1 })]), pools([poolMember({ concurrency: 1 })])];
    const held = await one.acquire(wish(), never);
    let served = false;
    const waiting = other.acquire(wish(), never).then(() => {
      served = true;
    });
    await new Promise(setImmediate);
    expect(served).toBe(false);
    held.settle(answered);
    await waiting;
  });
});

test('when no probe is answered, who waits fails with the last fault; who comes later waits for the next probe', async () => {
  const { time, pool } = poolOf({ concurrency: 4, probes: 2 });
  let sent = 0;
  const ask = async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const lease = await pool.acquire(wish(), never);
      sent += 1;
      lease.settle({ kind: 'faulty', reason: new Error(`fault ${sent}`) });
    }
    throw new Error('all attempts');
  };
  const asks = Promise.allSettled(Array.from({ length: 8 }, ask));
  await time.passUntilDone(asks);
  const reasons = (await asks).map((end) => end.status === 'rejected' && (end.reason as Error).message);
  const ofProbe = reasons.filter((reason) => reason !== 'all attempts');
  expect(ofProbe).toHaveLength(7);
  expect(new Set(ofProbe).size).toBe(1);
  expect(ofProbe[0]).toMatch(/^fault \d+$/);
  const later = pool.acquire(wish(), never);
  await time.passUntilDone(later);
  await expect(later).resolves.toBeDefined();
});
