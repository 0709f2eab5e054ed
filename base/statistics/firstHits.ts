import { Counts } from '../counts.ts';
import { type Estimate, shareInterval } from './estimates.ts';

/** Tries that end at or before the first hit: their number, and the index of the hit, from 1. */
export interface Tries {
  readonly tries: number;
  readonly hit: number | undefined;
}

/**
 * Share of things with a hit among their first k tries, by k, if some end earlier without a hit: the estimate of
 * Kaplan and Meier (1958), which uses each as far as it went. Excluding early ends would be biased: early hits count
 * for every k, so that only misses would be lost. It assumes that the end of tries is independent of the time of the
 * hit. The interval is that of a share with the effective number of things of Greenwood's variance (1926; Rothman
 * 1978, J Chron Dis 31); without early ends both equal the plain share's.
 * @returns undefined for a k that nothing without a hit was tried so often
 */
export function firstHitEstimates(things: readonly Tries[]): (k: number) => Estimate | undefined {
  const tried = things.filter(({ tries }) => tries > 0);
  const hits = Counts.of(tried.flatMap(({ hit }) => hit ?? []));
  const ends = Counts.of(tried.flatMap(({ tries, hit }) => (hit === undefined ? tries : [])));
  return (k) => {
    let atRisk = tried.length;
    let share = 0;
    let without = 1;
    let greenwood = 0;
    for (let at = 1; at <= k && without > 0; at++) {
      if (atRisk === 0) return undefined;
      const hit = hits.get(at) ?? 0;
      share += (without * hit) / atRisk;
      without *= 1 - hit / atRisk;
      greenwood += hit / atRisk / (atRisk - hit);
      atRisk -= hit + (ends.get(at) ?? 0);
    }
    if (share > 0 && without > 0) return shareInterval(share, share / (without * greenwood));
    // Without hits, or with hits only, there is no variance: as many as are known.
    const known = tried.filter(({ tries, hit = Number.POSITIVE_INFINITY }) => hit <= k || tries >= k).length;
    return shareInterval(without > 0 ? 0 : 1, known);
  };
}
