import { Counts } from '../counts.ts';
import { type Estimate, shareInterval } from './estimates.ts';

/** Tries at one thing that end at its first hit, or before one: how many there were, and which was the hit, from 1. */
export interface Tries {
  readonly tries: number;
  readonly hit: number | undefined;
}

/**
 * The share of things with a hit among their first k tries, by k, where some end without a hit before k: the estimate of
 * Kaplan and Meier (1958), which takes each as far as it went. Leaving out what ended before would be wrong: what had
 * its hit early is known of every k, so that only misses would be missing. It asks that what ends tries before their hit
 * has nothing to do with how soon that would come. The interval is that of a share with as many things as Greenwood's
 * variance (1926) stands for (Rothman 1978, J Chron Dis 31); where none ended early both are the plain share's.
 *
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
    // Of none or all there is no variance: as many as are known.
    const known = tried.filter(({ tries, hit = Number.POSITIVE_INFINITY }) => hit <= k || tries >= k).length;
    return shareInterval(without > 0 ? 0 : 1, known);
  };
}
