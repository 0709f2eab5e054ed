import type { Profile } from '../../../schemas/coa/profile.ts';

/** Patterns of a profile's tags. */
export interface TagPatterns {
  /** A start tag; global: set `lastIndex` before use. */
  readonly startTag: RegExp;
  /** End tags; for `replace` and `matchAll`. */
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
    startTag: new RegExp(`<(?:${names})>`, 'g'),
    endTags: new RegExp(`</(?:${names})>`, 'g'),
    anyCase: new RegExp(anyCase, 'gi'),
    isAnyCase: new RegExp(`^${anyCase}$`, 'i'),
  };
  made.set(profile, patterns);
  return patterns;
}
