import type { Profile } from './profile.ts';

/**
 * Profile with the best match of a text's tags: minimum unknown tags, then minimum missing ones; profiles with equal
 * tags differ by `\boxed{...}` in the answer. The first wins a tie.
 */
export function guessProfile(profiles: readonly Profile[], text: string): Profile {
  const tags = new Set(profiles.flatMap((profile) => profile.tags.map((rule) => rule.tag)));
  const used = new Set([...tags].filter((tag) => text.includes(`<${tag}>`)));
  const isMath = text.indexOf('\\boxed{', text.lastIndexOf('<answer>')) >= 0;
  return profiles
    .map((profile) => ({ profile, misfit: misfit(profile, used, isMath) }))
    .reduce((best, next) => (next.misfit < best.misfit ? next : best)).profile;
}

function misfit(profile: Profile, used: ReadonlySet<string>, isMath: boolean): number {
  const own = profile.tags.map((rule) => rule.tag);
  const foreign = [...used].filter((tag) => !own.includes(tag)).length;
  const unused = own.filter((tag) => !used.has(tag)).length;
  const otherDomain = (profile.domain === 'math') === isMath ? 0 : 1;
  return foreign * 1_000 + unused * 2 + otherDomain;
}
