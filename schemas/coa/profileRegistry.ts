import { oncePer } from '../../base/once.ts';
import type { Profile } from './profile.ts';
import { builtinProfiles, structuralTags } from './profiles/builtin.ts';

/** Profiles of a program: built-in and user-declared ones. */
export interface ProfileRegistry {
  /** Built-in ones first, then in declaration order. */
  readonly profiles: readonly Profile[];
  readonly names: readonly string[];
  readonly tags: readonly string[];
  profileOf(name: string): Profile | undefined;
}

/**
 * Registry of the built-in and declared profiles, each with the tags of all others. A declared profile replaces the
 * built-in one of its name.
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

/** Registry of the built-in profiles only. */
export const builtinRegistry = createProfileRegistry([]);

/**
 * Structural tags in a text of this profile: those of all built-in profiles, its own, and those of other profiles in
 * use. Returns the same array for the same profile, so that patterns are compiled once.
 */
export const structuralTagsOf = oncePer((profile: Profile): readonly string[] => {
  const own = profile.tags.map((rule) => rule.tag);
  const more = [...own, ...(profile.foreign_tags ?? [])].filter((tag) => !structuralTags.includes(tag));
  return more.length === 0 ? structuralTags : [...structuralTags, ...new Set(more)];
});
