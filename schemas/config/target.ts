import { z } from 'zod';
import type { Manifest } from '../manifest.ts';
import { keyOf, plainText, positiveInt } from './keyMeaning.ts';

const exportKey = keyOf('export');

/** The `target` section: the wanted size of the dataset. */
export const targetConfigSchema = z
  .strictObject({
    rows: exportKey(
      z.union([positiveInt, z.record(plainText, positiveInt)]).optional(),
      'Rows of the dataset, both splits together: a number, or one by profile, then tasks of other profiles are left alone',
    ),
    tokens: exportKey(
      positiveInt.optional(),
      "Tokens of the dataset's rows; the row with which there are so many is the last",
    ),
  })
  .refine(({ rows, tokens }) => (rows === undefined) !== (tokens === undefined), {
    message: 'either rows or tokens',
  })
  .refine(({ rows }) => typeof rows !== 'object' || Object.keys(rows).length > 0, {
    path: ['rows'],
    message: 'at least one profile',
  });
export type TargetConfig = z.infer<typeof targetConfigSchema>;

/** Key for the tasks of all profiles together. */
export const ANY_PROFILE = '*';

/** Wanted counts: by profile, or under `*` for all together. */
export interface WantedCounts {
  readonly unit: 'rows' | 'tokens';
  readonly wanted: Readonly<Record<string, number>>;
}

/** Wanted counts of a `target` section. */
export function wantedCounts({ rows, tokens }: TargetConfig): WantedCounts {
  if (tokens !== undefined) return { unit: 'tokens', wanted: { [ANY_PROFILE]: tokens } };
  return { unit: 'rows', wanted: typeof rows === 'object' ? rows : { [ANY_PROFILE]: rows! } };
}

/** Counts in a dataset, by the same keys. */
export function heldCounts(
  { unit, wanted }: WantedCounts,
  held: Pick<Manifest, 'rows' | 'tokens' | 'profiles'>,
): Record<string, number> {
  const heldOf = (profile: string) => (profile === ANY_PROFILE ? held[unit] : (held.profiles[profile] ?? 0));
  return Object.fromEntries(Object.keys(wanted).map((profile) => [profile, heldOf(profile)]));
}

/** Missing counts for a profile's rows; undefined if none is wanted. */
export function lackingFor(
  profile: string,
  counts: WantedCounts,
  held: Pick<Manifest, 'rows' | 'tokens' | 'profiles'>,
): number {
  const key = ANY_PROFILE in counts.wanted ? ANY_PROFILE : profile;
  return Math.max(0, (counts.wanted[key] ?? 0) - (heldCounts(counts, held)[key] ?? 0));
}
