import type { Profile } from './profile.ts';
import { structuralTags } from './profiles/builtin.ts';

const known = new WeakMap<Profile, readonly string[]>();

/**
 * Every tag that would be structure in a text of this profile: those of all built-in profiles, its own, and those of
 * the profiles in use beside it. The same array for the same profile, so that patterns are made once.
 */
export function structuralTagsOf(profile: Profile): readonly string[] {
  const made = known.get(profile);
  if (made) return made;
  const own = profile.tags.map((rule) => rule.tag);
  const more = [...own, ...(profile.foreign_tags ?? [])].filter((tag) => !structuralTags.includes(tag));
  const tags = more.length === 0 ? structuralTags : [...structuralTags, ...new Set(more)];
  known.set(profile, tags);
  return tags;
}
