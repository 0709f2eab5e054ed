import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawnKinds, playRun } from '../../bench/support/playedRollouts.ts';
import { RolloutForecaster } from '../../pipeline/estimate/liveEstimate.ts';
import { mulberry32 } from '../support/mulberry32.ts';

const RUNS = 50;

test.each(Object.entries(drawnKinds))(
  'of 50 runs whose tasks are such that %s, at least 90 of 100 forecasts hold',
  (_kind, draw) => {
    const said = Array.from({ length: RUNS }, (_, run) =>
      playRun(draw, { rollouts: 200, atOnce: 16 }, mulberry32(run * 7_919 + 6_216)),
    );
    const isHeld = ({ tokens, truth }: (typeof said)[number][number]) =>
      tokens.low <= truth && truth <= tokens.high;
    const first = said.flatMap((of) => of.slice(0, 1));
    expect(first.length).toBeGreaterThan(0.8 * RUNS);
    expect(said.flat().filter(isHeld).length / said.flat().length).toBeGreaterThanOrEqual(0.9);
    expect(first.filter(isHeld).length / first.length).toBeGreaterThanOrEqual(0.9);
  },
);

/** Rollouts of some profiles that have ended so, by their place. */
function forecastOf(profiles: readonly string[], ended: Readonly<Record<number, number>>) {
  const forecaster = new RolloutForecaster({ places: profiles.map((_, place) => place), profiles });
  for (const [place, tokens] of Object.entries(ended))
    forecaster.end(Number(place), { use: { costUsd: tokens / 1e6, tokens }, isWhole: true });
  return forecaster.forecast;
}

const first = (count: number, tokens = 100, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, tokens]));

describe('nothing is said', () => {
  const hundred: string[] = Array(100).fill('web');

  test('before the first twenty have all ended, whatever else has', () => {
    const { 7: _slowest, ...rest } = first(60);
    expect(forecastOf(hundred, rest)).toBeUndefined();
    expect(forecastOf(hundred, first(60))).toMatchObject({ seen: 40, tokens: { expected: 10_000 } });
    expect(forecastOf(hundred, first(19))).toBeUndefined();
  });

  test('while a profile has too few, unless all of them have ended', () => {
    const both = [...hundred, ...Array(5).fill('math')];
    expect(forecastOf(both, first(100))).toBeUndefined();
    const known = { ...first(40), ...first(60, 100, 40), ...first(5, 10, 100) };
    expect(forecastOf(both, known)!.tokens).toEqual({ low: 10_050, expected: 10_050, high: 10_050 });
  });
});

test('what the cache answered is counted, and stands for no other', () => {
  const places = Array.from({ length: 60 }, (_, place) => place);
  const forecaster = new RolloutForecaster({ places, profiles: places.map(() => 'web') });
  for (const place of places.slice(0, 10))
    forecaster.end(place, { use: { costUsd: 0, tokens: 1 }, isWhole: false });
  for (const place of places.slice(10, 30))
    forecaster.end(place, { use: { costUsd: 0, tokens: 100 }, isWhole: true });
  expect(forecaster.forecast).toMatchObject({ seen: 20, tokens: { expected: 10 + 50 * 100 } });
});

test('once all have ended it is what they took, in whatever order they did', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('web', 'math'), fc.nat(1_000)), { minLength: 1 }),
      fc.nat(),
      (rollouts, seed) => {
        const random = mulberry32(seed);
        const order = rollouts.map((_, place) => place).sort(() => random() - 0.5);
        const forecaster = new RolloutForecaster({
          places: rollouts.map((_, place) => place),
          profiles: rollouts.map(([profile]) => profile),
        });
        for (const place of order)
          forecaster.end(place, { use: { costUsd: 0, tokens: rollouts[place]![1] }, isWhole: true });
        const took = rollouts.reduce((sum, [, tokens]) => sum + tokens, 0);
        expect(forecaster.forecast!.tokens.expected).toBeCloseTo(took, 6);
        expect(forecaster.forecast!.tokens.high).toBeCloseTo(took, 6);
      },
    ),
  );
});
