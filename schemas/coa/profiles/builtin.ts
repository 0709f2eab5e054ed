import type { Profile } from '../profile.ts';
import { afmProfile } from './afm.ts';
import { mhqaDoubleCheckProfile, mhqaProfile } from './mhqa.ts';
import { codeProfile, mathProfile } from './program.ts';
import { webProfile } from './web.ts';

/** The profiles that come with coa-distill, by name. */
export const builtinProfiles: Readonly<Record<string, Profile>> = {
  web: webProfile,
  mhqa: mhqaProfile,
  code: codeProfile,
  math: mathProfile,
  mhqa_double_check: mhqaDoubleCheckProfile,
  afm: afmProfile,
};

/** The built-in profile's names, in the order in which they are shown. */
export const builtinProfileNames = ['web', 'mhqa', 'code', 'math', 'mhqa_double_check', 'afm'] as const;

/** A built-in profile by name, or undefined. */
export function builtinProfile(name: string): Profile | undefined {
  return Object.hasOwn(builtinProfiles, name) ? builtinProfiles[name] : undefined;
}

/** Every tag of every built-in profile, observation included: what must never appear in free text. */
export const structuralTags: readonly string[] = [
  ...new Set(Object.values(builtinProfiles).flatMap((profile) => profile.tags.map((rule) => rule.tag))),
];
