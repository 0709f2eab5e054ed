import { oncePer } from '../../base/once.ts';
import type { Profile } from './profile.ts';
import { builtinProfiles, structuralTags } from './profiles/builtin.ts';

/** The profiles that a program works with: the built-in ones, and those that a user declared. */
export interface ProfileRegistry {
  /** Built-in ones first, then in the order of their declaration. */
  readonly profiles: readonly Profile[];
  /** Names in the same order. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
  profileOf(name: string): Profile | undefined;
}

/**
 * A registry of the built-in profiles and the declared ones, each of which knows the tags of all others. A declared one
 * takes the place of the built-in one of its name.
 */
export function createProfileRegistry(declared: readonly Profile[]): ProfileRegistry {
  const declaredTags = new Set(declared.flatMap((profile) => profile.tags.map((rule) => rule.tag)));
  const foreign = [...declaredTags].filter((tag) => !structuralTags.includes(tag));
  const own = new Map(declared.map((profile) => [profile.name, profile]));
  const builtin = Object.values(builtinProfiles).map((profile) => own.get(profile.name) ?? profile);
  const all = [...new Set([...builtin, ...declared])];
  const profiles = foreign.length === 0 ? all : all.map((profile) => ({ ...profile, foreign_tags: foreign }));
  const byName = new Map(profiles.map((profile) => [profile.name, profile]));
  return {
    profiles,
    names: profiles.map((profile) => profile.name),
    tags: [...structuralTags, ...foreign],
    profileOf: (name) => byName.get(name),
  };
}

/** The built-in profiles alone. */
export const builtinRegistry = createProfileRegistry([]);

/**
 * Every tag that would be structure in a text of this profile: those of all built-in profiles, its own, and those of
 * the profiles in use beside it. The same array for the same profile, so that patterns are made once.
 */
export const structuralTagsOf = oncePer((profile: Profile): readonly string[] => {
  const own = profile.tags.map((rule) => rule.tag);
  const more = [...own, ...(profile.foreign_tags ?? [])].filter((tag) => !structuralTags.includes(tag));
  return more.length === 0 ? structuralTags : [...structuralTags, ...new Set(more)];
});
