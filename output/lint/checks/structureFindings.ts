import type { ParsedText } from '../../../schemas/coa/parse.ts';
import { type ParseIssue, tagPatterns, wrongCaseMessage } from '../../../schemas/coa/parseIssue.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { normalForm } from '../../../schemas/normalForm.ts';
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

/** A pattern whose every match is a finding. */
interface CharacterRule {
  readonly rule: TextFinding['rule'];
  readonly pattern: RegExp;
  message(found: string): string;
}

const characterRules: readonly CharacterRule[] = [
  {
    rule: 'byte_order_mark',
    pattern: /^\uFEFF+/g,
    message: () => 'the text begins with a byte order mark (U+FEFF); take it out',
  },
  {
    rule: 'carriage_return',
    pattern: /\r\n?/g,
    message: (found) => `${found === '\r' ? 'a lone CR' : 'CRLF'} where a line feed belongs`,
  },
  {
    rule: 'nul_character',
    pattern: /\0/g,
    message: () => 'a NUL character (U+0000); the text was made from binary data',
  },
  {
    rule: 'lone_surrogate',
    pattern: /\p{Surrogate}/gu,
    message: (found) => `${JSON.stringify(found)} is half of a surrogate pair; a character was cut in two`,
  },
  {
    rule: 'control_token',
    pattern: /<[|｜][^<>\s]{1,64}[|｜]>/g,
    message: (found) => `${found} becomes a control token in training; escape it as <\\${found.slice(1)}`,
  },
];

/** What is wrong with a text's characters, whatever its tags. */
export function* textFindings(text: string): Generator<TextFinding> {
  for (const { rule, pattern, message } of characterRules) {
    // The one pattern that no engine searches fast, for what hardly ever occurs.
    if (rule === 'lone_surrogate' && text.isWellFormed()) continue;
    for (const match of text.matchAll(pattern)) {
      yield { rule, offset: match.index, message: message(match[0]) };
    }
  }
  yield* normalFormFinding(text);
}

/** One finding for the text: where it is first not in NFC. */
function* normalFormFinding(text: string): Generator<TextFinding> {
  const normal = normalForm(text, 'NFC');
  if (normal === text) return;
  let offset = 0;
  while (text[offset] === normal[offset]) offset += 1;
  const code = text.codePointAt(offset) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  yield {
    rule: 'not_nfc',
    offset,
    message: `${name} is not in Unicode normal form C here; tokenizers rewrite it and masks shift`,
  };
}
