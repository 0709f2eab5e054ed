import type { Profile } from './profile.ts';

/** Patterns of a profile's tags. */
export interface TagPatterns {
  /** A start or an end tag: the slash and the name are its groups; for `matchAll`. */
  readonly tag: RegExp;
  /** End tags; for `replace`. */
  readonly endTags: RegExp;
  /** Tags in any case, white space in them allowed; for `matchAll`. */
  readonly anyCase: RegExp;
  /** A text that is one of `anyCase` and nothing else. */
  readonly isAnyCase: RegExp;
}

const made = new WeakMap<Profile, TagPatterns>();

/** The patterns of a profile, made once. */
export function tagPatterns(profile: Profile): TagPatterns {
  const known = made.get(profile);
  if (known) return known;
  const names = profile.tags.map((rule) => rule.tag).join('|');
  const anyCase = `<\\s{0,8}/?\\s{0,8}(?:${names})\\s{0,8}>`;
  const patterns = {
    tag: new RegExp(`<(/?)(${names})>`, 'g'),
    endTags: new RegExp(`</(?:${names})>`, 'g'),
    anyCase: new RegExp(anyCase, 'gi'),
    isAnyCase: new RegExp(`^${anyCase}$`, 'i'),
  };
  made.set(profile, patterns);
  return patterns;
}
