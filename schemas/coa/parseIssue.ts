import { oncePer } from '../../base/once.ts';
import type { Profile } from './profile.ts';

/** Structural problem found by `parse`; a text without any is valid. Line and column: see `lineColumns`. */
export interface ParseIssue {
  readonly code:
    | 'missing_end_tag'
    | 'unexpected_end_tag'
    | 'nested_tag'
    /** Text that no agent owns. */
    | 'text_between_tags'
    /** Unknown tag between blocks. */
    | 'unknown_tag'
    /** Tag of the profile between blocks, in the wrong case or with spaces in it. */
    | 'wrong_case_tag'
    /** White space between blocks that differs from the safe layout. */
    | 'wrong_layout'
    | 'no_blocks';
  /** UTF-16 code units from the text's start. */
  readonly offset: number;
  readonly message: string;
}

/** Issues of text between blocks. */
export const gapCodes: ReadonlySet<ParseIssue['code']> = new Set([
  'text_between_tags',
  'unknown_tag',
  'wrong_case_tag',
]);

/** Maximum quoted length of a gap. */
const mostQuoted = 60;

/** Any text that looks like a tag. */
const anyTag = /<\/?\s{0,8}[A-Za-z][\w-]{0,63}\s{0,8}\/?>/;

/**
 * Problem of the text between two blocks, given the expected text; undefined if valid, or if it consists of end tags,
 * which are issues of their own.
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

/** Message for a tag in the wrong case or with spaces in it. */
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
    /** Start or end tag, with slash and name as groups; for `matchAll`. */
    tag: new RegExp(`<(/?)(${names})>`, 'g'),
    /** End tags; for `replace`. */
    endTags: new RegExp(`</(?:${names})>`, 'g'),
    /** Tags in any case, with white space allowed; for `matchAll`. */
    anyCase: new RegExp(anyCase, 'gi'),
    /** Matches a text that is exactly one `anyCase` tag. */
    isAnyCase: new RegExp(`^${anyCase}$`, 'i'),
  };
});

/** Positions of sorted offsets in one pass over the text: from 1, columns in UTF-16 code units. */
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
