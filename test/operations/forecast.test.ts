import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forecastCount, forecastSum, Moments } from '../../pipeline/estimate/interval.ts';
import { createProject, jsonLines } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { seededRandom } from '../support/seededRandom.ts';

test('moments are those of the numbers, in any order; equal ones have a variance too', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 2 }), (numbers) => {
      const moments = new Moments();
      for (const number of numbers.toReversed()) moments.add(number);
      const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
      const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
      expect(moments.mean).toBeCloseTo(mean, 6);
      const least = (2 * mean * mean) / (numbers.length + 1);
      expect(moments.variance).toBeCloseTo(Math.max(least, squares / (numbers.length - 1)), 4);
    }),
  );
});

describe('95 of 100 forecasts hold', () => {
  test('of a sum, from the first 30 of 300 tasks with skewed costs', () => {
    const random = seededRandom(11);
    const cost = () => Math.exp(0.6 * (random() + random() + random() + random() - 2));
    let held = 0;
    const trials = 1_000;
    for (let trial = 0; trial < trials; trial++) {
      const seen = new Moments();
      for (let task = 0; task < 30; task++) seen.add(cost());
      const { low, high } = forecastSum([{ seen, left: 270 }]);
      let sum = 0;
      for (let task = 0; task < 270; task++) sum += cost();
      if (low <= sum && sum <= high) held++;
    }
    expect(held / trials).toBeGreaterThan(0.92);
    expect(held / trials).toBeLessThan(0.98);
  });

  test.each([0.03, 0.4, 0.9])('of kept rows where a share of %d is kept', (share) => {
    const random = seededRandom(12);
    const draw = (count: number) =>
      Array.from({ length: count }, random).filter((dice) => dice < share).length;
    let held = 0;
    const trials = 1_000;
    for (let trial = 0; trial < trials; trial++) {
      const { low, high } = forecastCount(draw(40), 40, 400);
      const kept = draw(400);
      if (low <= kept && kept <= high) held++;
    }
    expect(held / trials).toBeGreaterThan(0.91);
    expect(held / trials).toBeLessThanOrEqual(1);
  });
});

test('a forecast holds what it expects, is exact where nothing is left, and not where nothing varied yet', () => {
  const seen = new Moments();
  for (let task = 0; task < 5; task++) seen.add(2);
  const equal = forecastSum([{ seen, left: 10 }]);
  expect(0 < equal.low && equal.low < 20 && 20 < equal.high).toBe(true);
  expect(forecastSum([{ seen, left: 0 }]).high).toBe(0);
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 1, max: 50 }), fc.nat(1_000), (hits, more, left) => {
      const { low, expected, high } = forecastCount(Math.min(hits, more), more, left);
      expect(low).toBeLessThanOrEqual(expected + 1e-9);
      expect(high).toBeGreaterThanOrEqual(expected - 1e-9);
      expect(high).toBeLessThanOrEqual(left);
    }),
  );
});

test('a forecast from a try of some tasks holds for the whole run of the same tasks', async () => {
  const more = Array.from({ length: 40 }, (_, n) => ({
    id: `m${n}`,
    question: `Which river flows past place number ${n}?`,
    answer: `river ${n}`,
  }));
  const teacher =
    '{ backend: scripted, script: script.jsonl, model: { model: scripted-teacher, price: { input_usd_per_million: 1, output_usd_per_million: 2 } } }';
  const cwd = createProject({
    teacher,
    tasks: jsonLines(more),
    more: 'filters: { grounding: { drop: false } }\n',
  });
  await runWell(['run', '--limit', '12', '--name', 'try'], { cwd });
  const forecast = JSON.parse((await runCli(['forecast', '--from-run', 'try', '--json'], { cwd })).stdout);
  expect(forecast).toMatchObject({ left: 40, seen: 12, unknown: [] });
  const whole = JSON.parse((await runCli(['run', '--name', 'whole', '--json'], { cwd })).stdout);
  const sum = (pick: (role: Record<string, number>) => number) =>
    whole.roles.reduce((total: number, role: Record<string, number>) => total + pick(role), 0);
  const within = ({ low, high }: { low: number; high: number }, value: number) =>
    value >= low * 0.99 && value <= high * 1.01;
  expect(
    within(
      forecast.cost_usd,
      sum((role) => role.cost_usd!),
    ),
  ).toBe(true);
  expect(
    within(
      forecast.tokens,
      sum((role) => role.prompt_tokens! + role.completion_tokens!),
    ),
  ).toBe(true);
  expect(within(forecast.kept, whole.manifest.rows)).toBe(true);
  expect((await runCli(['run', '--limit', '6', '--until', 'rollout', '--name', 'cut'], { cwd })).code).toBe(
    0,
  );
  const early = await runCli(['forecast', '--from-run', 'cut'], { cwd });
  expect(early.stdout).toMatch(/^rows +unknown: cut has not reached its end$/m);
  await runWell(['run', '--limit', '3', '--name', 'few'], { cwd });
  await runRefused(['forecast', '--from-run', 'few'], { cwd }, 'fewer than 5 tasks of mhqa');
  const lines = (await runCli(['forecast', '--from-run', 'try'], { cwd })).stdout;
  expect(lines).toMatch(/^cost +about \$\d/m);
  // What a replay took is not what a model takes: the time is that of the session which asked.
  expect(forecast.seconds.expected).toBeGreaterThan(0);
  expect((await runCli(['run', '--name', 'try', '--limit', '12', '--from', 'rollout'], { cwd })).code).toBe(
    0,
  );
  const replayed = JSON.parse((await runCli(['forecast', '--from-run', 'try', '--json'], { cwd })).stdout);
  expect(replayed.seconds).toEqual(forecast.seconds);
  cpSync(join(cwd, 'runs/try'), join(cwd, 'runs/unasked'), { recursive: true });
  rmSync(join(cwd, 'runs/unasked/events.jsonl'));
  await runRefused(['forecast', '--from-run', 'unasked'], { cwd }, 'not answered by the cache');
  // A plan of the same run takes off what has ended.
  const plan = JSON.parse((await runCli(['run', '--dry-run', '--json', '--name', 'try'], { cwd })).stdout);
  expect(plan.estimate).toMatchObject({ left: 28, seen: 12 });
  expect((await runCli(['forecast', '--from-run', 'no-such'], { cwd })).stderr).toMatch(/no run "no-such"/);
});
