/** Rollouts of a run as they would ask, played with so many at once, and what is forecast of them meanwhile. */
import { sum } from '../../base/sum.ts';
import type { Interval } from '../../pipeline/estimate/interval.ts';
import { RolloutForecaster } from '../../pipeline/estimate/liveEstimate.ts';
import { normal, type Random, times } from './draws.ts';

/** A call of a model: how long it takes, in any unit, and its tokens. */
export interface PlayedCall {
  readonly takes: number;
  readonly tokens: number;
}

/** A rollout's calls, one after another. */
export type PlayedRollout = readonly PlayedCall[];

/** Draws a rollout. */
export type DrawRollout = (random: Random) => PlayedRollout;

/** A forecast, and what came. */
export interface Said {
  readonly tokens: Interval;
  readonly truth: number;
  /** Share of the rollouts that had ended. */
  readonly ended: number;
}

/** A rollout in which each call reads what was said before. */
function callsOf(calls: number, size: number, takes: () => number): PlayedRollout {
  return times(calls, (at) => ({ takes: takes(), tokens: size * (800 + 300 * at) }));
}

/** Ways in which tasks differ that make the first to end the shortest. */
export const drawnKinds: Readonly<Record<string, DrawRollout>> = {
  'all alike': (random) => callsOf(6 + Math.floor(3 * random()), 1, () => 1 + random()),
  'some fail at once': (random) => {
    const calls = random() < 0.15 ? 1 : 10 + Math.floor(6 * random());
    return callsOf(calls, Math.exp(0.3 * normal(random)), () => Math.exp(0.5 * normal(random)));
  },
  'ends with any call alike': (random) => {
    const calls = Math.min(60, 1 + Math.floor(Math.log(1 - random()) / Math.log(0.9)));
    return callsOf(calls, Math.exp(0.4 * normal(random)), () => Math.exp(0.5 * normal(random)));
  },
  'two of five are long': (random) => {
    const isLong = random() < 0.4;
    const calls = isLong ? 24 + Math.floor(12 * random()) : 4 + Math.floor(4 * random());
    return callsOf(calls, Math.exp(0.3 * normal(random)), () => Math.exp(0.5 * normal(random)));
  },
  'long ones are slow and large': (random) => {
    const z = normal(random);
    const calls = Math.min(80, Math.max(2, Math.round(10 * Math.exp(0.6 * z))));
    return callsOf(calls, Math.exp(0.3 * z), () => Math.exp(0.3 * z));
  },
};

interface PlayOptions {
  readonly rollouts: number;
  readonly atOnce: number;
}

/** Plays a run, and returns each forecast that was said. */
export function playRun(draw: DrawRollout, { rollouts, atOnce }: PlayOptions, random: Random): Said[] {
  const waiting = times(rollouts, () => draw(random));
  const truth = sum(waiting.flat().map(({ tokens }) => tokens));
  const places = times(rollouts, (at) => at);
  const forecaster = new RolloutForecaster({ places, profiles: places.map(() => 'p') });
  const working: { place: number; calls: PlayedCall[]; atMs: number; tokens: number }[] = [];
  const said: Said[] = [];
  let [ended, seen] = [0, 0];
  const begin = (atMs: number) => {
    const calls = waiting.shift();
    const place = rollouts - waiting.length - 1;
    if (calls) working.push({ place, calls: [...calls], atMs: atMs + calls[0]!.takes, tokens: 0 });
  };
  times(atOnce, () => begin(0));
  while (working.length > 0) {
    const next = working.reduce((first, one) => (one.atMs < first.atMs ? one : first));
    next.tokens += next.calls.shift()!.tokens;
    next.atMs += next.calls[0]?.takes ?? 0;
    if (next.calls.length > 0) continue;
    working.splice(working.indexOf(next), 1);
    forecaster.end(next.place, { use: { costUsd: 0, tokens: next.tokens }, isWhole: true });
    ended++;
    begin(next.atMs);
    const forecast = ended < rollouts ? forecaster.forecast : undefined;
    if (!forecast || forecast.seen <= seen) continue;
    seen = forecast.seen;
    said.push({ tokens: forecast.tokens, truth, ended: ended / rollouts });
  }
  return said;
}
