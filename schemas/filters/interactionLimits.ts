import { z } from 'zod';
import type { Profile } from '../coa/profile.ts';
import { plainText, wholeNumber } from '../config/keyMeaning.ts';

/** Meanings of an interaction in `min_interactions`. */
const interactionCounts = ['tools', 'agents'] as const;

/** `filters.min_interactions`: one number, or one by profile. */
export const interactionLimitsSchema = z.union([
  wholeNumber,
  z
    .record(plainText, z.union([wholeNumber, z.enum(interactionCounts)]))
    .superRefine((limits, { addIssue }) => {
      for (const [key, value] of Object.entries(limits)) {
        if ((key === 'count') === (typeof value === 'string')) continue;
        const expected = key === 'count' ? interactionCounts.join(' or ') : 'a whole number';
        addIssue({ code: 'custom', path: [key], message: `expected ${expected}, got ${value}` });
      }
    }),
]);
type InteractionLimits = z.infer<typeof interactionLimitsSchema>;

/** Limit of `min_interactions` for a profile. */
export function interactionLimit(
  limits: InteractionLimits,
  { name, min_interactions }: Pick<Profile, 'name' | 'min_interactions'>,
): { readonly count: (typeof interactionCounts)[number]; readonly least: number } {
  if (typeof limits === 'number') return { count: 'tools', least: limits };
  const least = [limits[name], limits.default].find((value) => typeof value === 'number');
  return { count: limits.count === 'agents' ? 'agents' : 'tools', least: least ?? min_interactions };
}

/** Profiles named in `min_interactions`. */
export function limitedProfiles(limits: InteractionLimits): string[] {
  const keys = typeof limits === 'number' ? [] : Object.keys(limits);
  return keys.filter((key) => key !== 'count' && key !== 'default');
}
