import { Counts } from '../../base/counts.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { type ParsedBlock, type ParsedText, parseBlocks } from '../../schemas/coa/parse.ts';
import { tagPatterns, wrongCaseMessage } from '../../schemas/coa/parseIssue.ts';
import { type Profile, type TagRule, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import type { TextRuleName } from './rules.ts';

export interface TextFault {
  readonly rule: TextRuleName;
  readonly offset: number;
  readonly message: string;
}

/** Faults of a text in order, limited per rule; `profile`: undefined for the answer of an ordinary chat. */
export function textFaults(text: string, profile: Profile | undefined): TextFault[] {
  const found = [...characterFaults(text), ...(profile ? trajectoryFaults(text, profile) : [])];
  return firstOfEachRule(found.sort((a, b) => a.offset - b.offset));
}

const MAX_OF_ONE_RULE = 10;

/** Limits the faults per rule; the last one kept states how many were dropped. */
export function firstOfEachRule<Found extends TextFault>(faults: readonly Found[]): Found[] {
  const all = Counts.of(faults.map(({ rule }) => rule));
  const seen = new Counts<TextRuleName>();
  return faults.flatMap((each) => {
    seen.add(each.rule);
    const nth = seen.get(each.rule)!;
    const more = all.get(each.rule)! - MAX_OF_ONE_RULE;
    if (nth < MAX_OF_ONE_RULE || (nth === MAX_OF_ONE_RULE && more === 0)) return [each];
    const message = `${each.message} (and ${more} more of this rule in the row)`;
    return nth === MAX_OF_ONE_RULE ? [{ ...each, message }] : [];
  });
}

/** Guessed profile of a text; undefined without agent blocks (thinking and HTML's `<code>` do not count). */
export function trajectoryProfile(profiles: readonly Profile[], text: string): Profile | undefined {
  const profile = guessProfile(profiles, text);
  const isAgents = parseBlocks(profile, text, 'first_of_each_code').blocks.some(({ tag }) => {
    const rule = tagRule(profile, tag)!;
    return rule.kind !== 'thinking' && rule.kind !== 'answer' && rule.body !== 'code';
  });
  return isAgents ? profile : undefined;
}

const surrogate = /\p{Surrogate}/gu;

/** Character patterns whose every match is a fault. */
const characterRules: readonly (readonly [TextRuleName, RegExp, (found: string) => string])[] = [
  ['bad_character', /^\uFEFF+/g, () => 'the text begins with a byte order mark (U+FEFF)'],
  [
    'bad_character',
    /\r\n?/g,
    (found) => `${found === '\r' ? 'a lone CR' : 'CRLF'} where a line feed belongs`,
  ],
  ['bad_character', /\0/g, () => 'a NUL character (U+0000)'],
  ['bad_character', surrogate, (found) => `${JSON.stringify(found)} is half of a surrogate pair`],
  [
    'control_token',
    /<[|｜][^<>\s]{1,64}[|｜]>/g,
    (found) => `${found} becomes a control token in training; escape it as <\\${found.slice(1)}`,
  ],
];

function* characterFaults(text: string): Generator<TextFault> {
  for (const [rule, pattern, message] of characterRules) {
    // Regular expression engines are slow on this pattern.
    if (pattern === surrogate && text.isWellFormed()) continue;
    for (const { 0: found, index } of text.matchAll(pattern))
      yield { rule, offset: index, message: message(found) };
  }
  const normal = normalForm(text, 'NFC');
  if (normal === text) return;
  let offset = 0;
  while (text[offset] === normal[offset]) offset += 1;
  const code = (text.codePointAt(offset) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  yield { rule: 'not_nfc', offset, message: `U+${code} is not in Unicode normal form C` };
}

function trajectoryFaults(text: string, profile: Profile): TextFault[] {
  const parsed = parseBlocks(profile, text);
  const structure = [
    ...parsed.issues.map(({ code, offset, message }) => ({ rule: code, offset, message })),
    ...wrongCaseInBlocks(profile, parsed),
  ];
  const isBroken = structure.some(({ rule }) => rule !== 'text_between_tags' && rule !== 'wrong_layout');
  return [
    ...structure,
    ...(isBroken ? [] : grammarFaults(profile, parsed.blocks, text.length)),
    ...repeatFaults(profile, parsed.blocks),
    ...lookAlikeFaults(profile, parsed.blocks),
  ];
}

function* wrongCaseInBlocks(profile: Profile, { blocks }: ParsedText): Generator<TextFault> {
  for (const block of blocks) {
    if (block.origin === 'environment') continue;
    for (const { 0: tag, index } of block.body.matchAll(tagPatterns(profile).anyCase)) {
      // The parser reports tags in the correct case.
      if (/^<\/?[a-z0-9_]+>$/.test(tag)) continue;
      yield { rule: 'wrong_case_tag', offset: bodyStart(block) + index, message: wrongCaseMessage(tag) };
    }
  }
}

function bodyStart({ start, tag }: ParsedBlock): number {
  return start + `<${tag}>`.length;
}

function grammarFaults(profile: Profile, blocks: readonly ParsedBlock[], length: number): TextFault[] {
  return checkGrammar(profile, blocks).flatMap(({ code, block: at, message }) => {
    const block = blocks[at];
    // Parsed blocks take their writer and tag from the profile.
    if (code === 'wrong_writer' || code === 'unknown_tag') return [];
    // Reported as look-alikes.
    if (code === 'tag_in_text' && block?.origin === 'environment') return [];
    return [{ rule: code, offset: block?.start ?? length, message }];
  });
}

/** Unescaped look-alikes of structure in observations. */
function* lookAlikeFaults(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFault> {
  for (const block of blocks) {
    if (block.origin !== 'environment') continue;
    const { body } = block;
    for (const at of unescapedLookAlikes(body, structuralTagsOf(profile))) {
      // Reported as control tokens.
      if (/^<[|｜]/.test(body.slice(at - 1, at + 1))) continue;
      const around = JSON.stringify(body.slice(Math.max(0, at - 12), at + 20));
      const message = `${around} looks like structure; a backslash here makes it text`;
      yield { rule: 'look_alike_in_observation', offset: bodyStart(block) + at, message };
    }
  }
}

/** Places at which escaping would insert the first backslash. */
function* unescapedLookAlikes(text: string, tags: readonly string[]): Generator<number> {
  const { text: escaped, count } = escapeStructure(text, tags);
  if (count === 0) return;
  let shift = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === escaped[at + shift]) continue;
    shift += 1;
    // A backslash added to existing ones only shows after them.
    if (text[at - 1] !== '\\') yield at;
  }
}

/** Repeated blocks, except grades, scores, suggested and final answers. */
function* repeatFaults(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFault> {
  const seen = new Map<string, number>();
  for (const [index, { tag, body, start }] of blocks.entries()) {
    const rule = repeatRule(tagRule(profile, tag));
    const words = body.replace(/\s+/g, ' ').trim();
    if (rule === undefined || words === '') continue;
    const key = `${tag}\n${rule === 'duplicate_query' ? words.toLowerCase() : words}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else {
      const message = `<${tag}> repeats block ${earlier + 1} of the text: ${JSON.stringify(words.slice(0, 60))}`;
      yield { rule, offset: start, message };
    }
  }
}

function repeatRule(tag: TagRule | undefined): 'duplicate_query' | 'duplicate_block' | undefined {
  if (tag?.kind === 'tool') return 'duplicate_query';
  const isOwnWords = tag?.kind === 'thinking' || tag?.kind === 'plan' || tag?.kind === 'reflection';
  return isOwnWords && tag.body === 'text' ? 'duplicate_block' : undefined;
}
