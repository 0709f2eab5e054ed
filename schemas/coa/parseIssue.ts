import { oncePer } from '../../base/once.ts';
import type { Profile } from './profile.ts';

/**
 * Something that `parse` finds wrong with a text's structure; a text is valid when there is nothing at all. Line and
 * column: see `lineColumns`.
 */
export interface ParseIssue {
  readonly code:
    | 'missing_end_tag'
    | 'unexpected_end_tag'
    | 'nested_tag'
    /** Words that no agent owns. */
    | 'text_between_tags'
    /** A tag between blocks that the profile does not have. */
    | 'unknown_tag'
    /** A tag of the profile between blocks, in the wrong case or with spaces in it. */
    | 'wrong_case_tag'
    /** Only white space between blocks, but not that of the safe layout. */
    | 'wrong_layout'
    | 'no_blocks';
  /** UTF-16 code units from the text's start. */
  readonly offset: number;
  readonly message: string;
}

/** Issues of words between blocks, which no agent owns. */
export const gapCodes: ReadonlySet<ParseIssue['code']> = new Set([
  'text_between_tags',
  'unknown_tag',
  'wrong_case_tag',
]);

/** How much of a gap is quoted. */
const mostQuoted = 60;

/** Anything that looks like a tag, whoever's it is. */
const anyTag = /<\/?\s{0,8}[A-Za-z][\w-]{0,63}\s{0,8}\/?>/;

/**
 * What is wrong with the text between two blocks, given what should stand there; undefined when nothing is, or when
 * there are only end tags, which are issues of their own.
 */
export function gapIssue(
  profile: Profile,
  gap: string,
  offset: number,
  expected: string,
): ParseIssue | undefined {
  if (gap === expected) return undefined;
  if (gap.trim() === '') {
    const message = `expected ${JSON.stringify(expected)} here, found ${quoted(gap)}`;
    return { code: 'wrong_layout', offset, message };
  }
  const { endTags, isAnyCase } = tagPatterns(profile);
  const rest = gap.replace(endTags, (tag) => ' '.repeat(tag.length));
  const words = rest.search(/\S/);
  if (words < 0) return undefined;
  const tag = anyTag.exec(rest);
  if (!tag) {
    const message = `no agent owns ${quoted(rest.trim())}; put it inside a block`;
    return { code: 'text_between_tags', offset: offset + words, message };
  }
  const at = offset + tag.index;
  if (isAnyCase.test(tag[0]))
    return { code: 'wrong_case_tag', offset: at, message: wrongCaseMessage(tag[0]) };
  const message = `${tag[0]} is not a tag of the profile ${profile.name}`;
  return { code: 'unknown_tag', offset: at, message };
}

/** What to say about a tag in the wrong case or with spaces in it. */
export function wrongCaseMessage(tag: string): string {
  const right = tag.toLowerCase().replace(/\s/g, '');
  return `${JSON.stringify(tag)} is text, not a tag; the tag is ${right}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, mostQuoted));
}

/** Patterns of a profile's tags. */
export const tagPatterns = oncePer((profile: Profile) => {
  const names = profile.tags.map((rule) => rule.tag).join('|');
  const anyCase = `<\\s{0,8}/?\\s{0,8}(?:${names})\\s{0,8}>`;
  return {
    /** A start or an end tag: the slash and the name are its groups; for `matchAll`. */
    tag: new RegExp(`<(/?)(${names})>`, 'g'),
    /** End tags; for `replace`. */
    endTags: new RegExp(`</(?:${names})>`, 'g'),
    /** Tags in any case, white space in them allowed; for `matchAll`. */
    anyCase: new RegExp(anyCase, 'gi'),
    /** A text that is one of `anyCase` and nothing else. */
    isAnyCase: new RegExp(`^${anyCase}$`, 'i'),
  };
});

/** The places of offsets that are in order, in one pass over the text: from 1, columns in UTF-16 code units. */
export function lineColumns(text: string, offsets: readonly number[]): { line: number; column: number }[] {
  let line = 1;
  let lineStart = 0;
  let feed = text.indexOf('\n');
  return offsets.map((offset) => {
    while (feed >= 0 && feed < offset) {
      line += 1;
      lineStart = feed + 1;
      feed = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  });
}
