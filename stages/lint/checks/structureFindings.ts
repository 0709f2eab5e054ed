import type { Parsed, ParseIssue } from '../../../schemas/coa/parse.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import type { TextFinding } from '../finding.ts';
import { tagPatterns } from './tagPatterns.ts';

/** Which of the parser's issues leave no sequence of blocks whose order could be checked. */
const breaksOrder: ReadonlySet<TextFinding['rule']> = new Set<TextFinding['rule']>([
  'missing_end_tag',
  'unexpected_end_tag',
  'nested_tag',
  'adjacent_openings',
  'unknown_tag',
  'wrong_case_tag',
  'no_blocks',
]);

/** True when the tags are too broken for {@link grammarFindings} to say anything that helps. */
export function hasBrokenStructure(findings: readonly TextFinding[]): boolean {
  return findings.some((finding) => breaksOrder.has(finding.rule));
}

/** What is wrong with a text's tags and with what stands between them. */
export function structureFindings(profile: Profile, text: string, parsed: Parsed): TextFinding[] {
  const issues = parsed.issues.flatMap((issue) => issueFinding(profile, text, issue) ?? []);
  return [...issues, ...wrongCaseInBlocks(profile, parsed)];
}

function issueFinding(profile: Profile, text: string, issue: ParseIssue): TextFinding | undefined {
  if (issue.code === 'text_between_tags') return gapFinding(profile, text, issue);
  if (issue.code === 'nested_tag' && isSecondOpening(text, issue.offset)) {
    return {
      rule: 'adjacent_openings',
      offset: issue.offset,
      message: `${issue.message}, right after it; remove one of the two`,
    };
  }
  return { rule: issue.code, offset: issue.offset, message: issue.message };
}

/** True when the tag here follows the same tag with nothing but white space between. */
function isSecondOpening(text: string, offset: number): boolean {
  const tag = /<[^>]*>/y;
  tag.lastIndex = offset;
  const name = tag.exec(text)?.[0] ?? '';
  return text
    .slice(Math.max(0, offset - 200), offset)
    .trimEnd()
    .endsWith(name);
}

/**
 * Words between blocks, told apart from tags that the profile doesn't have or that are misspelt; undefined when there
 * are only end tags, which the parser reports by themselves.
 */
function gapFinding(profile: Profile, text: string, issue: ParseIssue): TextFinding | undefined {
  const { startTag, endTags, isAnyCase } = tagPatterns(profile);
  startTag.lastIndex = issue.offset;
  const end = startTag.exec(text)?.index ?? text.length;
  const gap = text.slice(issue.offset, end).replace(endTags, (tag) => ' '.repeat(tag.length));
  const words = gap.search(/\S/);
  if (words < 0) return undefined;
  const tag = /<\/?\s{0,8}[A-Za-z][\w-]{0,63}\s{0,8}\/?>/.exec(gap);
  if (!tag) {
    const found = JSON.stringify(gap.trim().slice(0, 60));
    const message = `no agent owns ${found}; put it inside a block`;
    return { rule: 'text_between_tags', offset: issue.offset + words, message };
  }
  const offset = issue.offset + tag.index;
  if (isAnyCase.test(tag[0])) return wrongCaseFinding(tag[0], offset);
  return { rule: 'unknown_tag', offset, message: `${tag[0]} is no tag of the profile ${profile.name}` };
}

function* wrongCaseInBlocks(profile: Profile, parsed: Parsed): Generator<TextFinding> {
  const { anyCase } = tagPatterns(profile);
  for (const block of parsed.blocks) {
    if (block.origin === 'environment') continue;
    for (const match of block.body.matchAll(anyCase)) {
      // The parser has its own words for tags inside tags.
      if (isExact(match[0])) continue;
      yield wrongCaseFinding(match[0], block.start + `<${block.tag}>`.length + match.index);
    }
  }
}

function isExact(tag: string): boolean {
  return /^<\/?[a-z0-9_]+>$/.test(tag);
}

function wrongCaseFinding(tag: string, offset: number): TextFinding {
  const right = tag.toLowerCase().replace(/\s/g, '');
  return {
    rule: 'wrong_case_tag',
    offset,
    message: `${JSON.stringify(tag)} is text, not a tag; the tag is ${right}`,
  };
}
