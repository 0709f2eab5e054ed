import type { ParsedText } from '../../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../../schemas/coa/parseIssue.ts';
import { wrongCaseMessage } from '../../../schemas/coa/parseIssue.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { tagPatterns } from '../../../schemas/coa/tagPatterns.ts';
import type { TextFinding } from '../finding.ts';

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
export function structureFindings(profile: Profile, text: string, parsed: ParsedText): TextFinding[] {
  return [...parsed.issues.map((issue) => issueFinding(text, issue)), ...wrongCaseInBlocks(profile, parsed)];
}

function issueFinding(text: string, { code, offset, message }: ParseIssue): TextFinding {
  if (code !== 'nested_tag' || !isSecondOpening(text, offset)) return { rule: code, offset, message };
  return { rule: 'adjacent_openings', offset, message: `${message}, right after it; remove one of the two` };
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

function* wrongCaseInBlocks(profile: Profile, parsed: ParsedText): Generator<TextFinding> {
  const { anyCase } = tagPatterns(profile);
  for (const block of parsed.blocks) {
    if (block.origin === 'environment') continue;
    for (const match of block.body.matchAll(anyCase)) {
      // The parser has its own words for tags inside tags.
      if (isExact(match[0])) continue;
      const offset = block.start + `<${block.tag}>`.length + match.index;
      yield { rule: 'wrong_case_tag', offset, message: wrongCaseMessage(match[0]) };
    }
  }
}

function isExact(tag: string): boolean {
  return /^<\/?[a-z0-9_]+>$/.test(tag);
}
