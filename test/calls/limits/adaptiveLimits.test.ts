import { expect, test } from 'vitest';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import { type EndpointLaw, SimulatedEndpoint } from './support/simulatedEndpoint.ts';
import { poolMember, simulateWork } from './support/simulateWork.ts';
import { VirtualTime } from './support/virtualTime.ts';

/** When the endpoint begins to bear half as much, and when the work ends. */
const CHANGE_S = 600;
const END_S = 1200;
/** After the start and after the change. */
const WARM_UP_S = 120;

interface Case {
  readonly law: Partial<EndpointLaw>;
  readonly halve: (law: EndpointLaw) => void;
  /** Requests a second that it bears before the change. */
  readonly bears: number;
  /** Share of requests. A rate that is not configured costs more refusals than places. */
  readonly maxRefused: number;
}

/** Numbers from 0 to 1 that are the same on every run. */
function seededFractions(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** Lognormal times of a mean, with a tail: one in a hundred is about three times the mean. */
function longTailed(meanMs: number, seed: number): () => number {
  const fraction = seededFractions(seed);
  const sigma = 0.6;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction());
    return meanMs * Math.exp(sigma * normal - (sigma * sigma) / 2);
  };
}

const halveAtOnce = (law: EndpointLaw) => {
  law.atOnce = Math.floor(law.atOnce / 2);
};
const halveRate = (law: EndpointLaw) => {
  law.perMinute /= 2;
};
const both = { atOnce: 37, perMinute: 600, burst: 37 };

const cases: readonly (readonly [string, Case])[] = [
  [
    '37 at once hold it back, answers take 5 s',
    { law: { ...both, latencyMs: () => 5000 }, halve: halveAtOnce, bears: 37 / 5, maxRefused: 0.06 },
  ],
  [
    '37 at once hold it back, answers take 5 s and more',
    { law: { ...both, latencyMs: longTailed(5000, 1) }, halve: halveAtOnce, bears: 37 / 5, maxRefused: 0.06 },
  ],
  [
    '37 at once hold it back, answers take 200 ms',
    { law: { atOnce: 37, latencyMs: () => 200 }, halve: halveAtOnce, bears: 37 / 0.2, maxRefused: 0.06 },
  ],
  ...[300, 1000, 2500].flatMap((meanMs): [string, Case][] => [
    [
      `600 a minute hold it back, answers take ${meanMs} ms`,
      { law: { ...both, latencyMs: () => meanMs }, halve: halveRate, bears: 10, maxRefused: 0.3 },
    ],
    [
      `600 a minute with a burst of 10 hold it back, answers take ${meanMs} ms and more`,
      {
        law: { ...both, burst: 10, latencyMs: longTailed(meanMs, 2) },
        halve: halveRate,
        bears: 10,
        maxRefused: 0.3,
      },
    ],
  ]),
  ...[1000, 2500].map((meanMs): [string, Case] => [
    `600 a minute hold it back, answers take ${meanMs} ms and more`,
    { law: { ...both, latencyMs: longTailed(meanMs, 1) }, halve: halveRate, bears: 10, maxRefused: 0.3 },
  ]),
];

/** 256 are allowed by the configuration, which names no rate. */
function startWork(law: Partial<EndpointLaw>, concurrency = 256) {
  const time = new VirtualTime();
  const endpoint = new SimulatedEndpoint(time, law);
  const pool = createEndpointPools(time)([poolMember({ concurrency })]);
  const work = (untilMs: number) =>
    simulateWork({ time, pool, endpoint, workers: concurrency + 20, untilMs });
  return { time, endpoint, work };
}

test.each(cases)(
  'requests in flight follow what an endpoint takes: %s',
  async (_, { law, halve, bears, maxRefused }) => {
    const { time, endpoint, work } = startWork(law);
    void time.sleep(CHANGE_S * 1000).then(() => halve(endpoint.law));
    await work(END_S * 1000);
    const before = endpoint.figures(WARM_UP_S * 1000, CHANGE_S * 1000);
    const after = endpoint.figures((CHANGE_S + WARM_UP_S) * 1000, END_S * 1000);
    expect(before.perSecond).toBeGreaterThan(bears * 0.8);
    expect(after.perSecond).toBeGreaterThan((bears / 2) * 0.8);
    expect(before.refusedShare).toBeLessThan(maxRefused);
    expect(after.refusedShare).toBeLessThan(maxRefused);
  },
);

test.each([
  [16, 5000, 5],
  [64, 1000, 60],
  [256, 5000, 30],
])(
  '%i at once of %i ms are back soon after %i s in which the endpoint took nothing',
  async (atOnce, meanMs, seconds) => {
    for (const latencyMs of [() => meanMs, longTailed(meanMs, 3)]) {
      let isAway = false;
      const { time, endpoint, work } = startWork({ latencyMs, refusesAnyway: () => isAway }, atOnce);
      const turn = (atMs: number, away: boolean) =>
        void time.sleep(atMs).then(() => {
          isAway = away;
        });
      turn(60_000, true);
      turn(60_000 + seconds * 1000, false);
      const backMs = (60 + 2 * seconds + 60) * 1000;
      await work(backMs + 120_000);
      expect(endpoint.figures(backMs, backMs + 120_000).perSecond).toBeGreaterThan((atOnce / meanMs) * 700);
    }
  },
);

test.each([0.1, 0.3])('refusals at random, a share of %s, do not press it down', async (share) => {
  const fraction = seededFractions(7);
  const law = { latencyMs: () => 200, refusesAnyway: () => fraction() < share };
  const { endpoint, work } = startWork(law, 64);
  await work(120_000);
  expect(endpoint.figures(10_000, 120_000).perSecond).toBeGreaterThan((64 / 0.2) * (1 - share) * 0.5);
});
