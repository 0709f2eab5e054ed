import type { Tokenizer } from '../../contract/tokenizer.ts';
import { checkGrammar, type GrammarFinding } from '../../schemas/coa/check.ts';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { type ParsedBlock, parseBlocks } from '../../schemas/coa/parse.ts';
import { type Profile, type TagRule, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { hasBrokenStructure, structureFindings, textFindings } from './checks/structureFindings.ts';
import type { TextFinding } from './finding.ts';
import { auditMask } from './mask/auditMask.ts';
import { createMaskMarker } from './mask/maskMarker.ts';

/** Findings of one rule in one text that are told one by one; the last of them says how many more there are. */
const MAX_OF_ONE_RULE = 10;

/** Applies every rule to a trajectory's text; gives findings in the order of their places. */
export type LintText = (profile: Profile, text: string) => Promise<TextFinding[]>;

/** A linter that sees observations as AFM's fork does, by the tokenizer of the models that it trains, Qwen2.5's. */
export async function createTextLinter(tokenizer: Tokenizer): Promise<LintText> {
  const markMask = await createMaskMarker(tokenizer);
  return async (profile, text) => {
    const parsed = parseBlocks(profile, text);
    const structure = structureFindings(profile, text, parsed);
    const findings = [
      ...textFindings(text),
      ...structure,
      ...(hasBrokenStructure(structure) ? [] : grammarFindings(profile, parsed.blocks, text.length)),
      ...repeatFindings(profile, parsed.blocks),
      ...lookAlikeFindings(profile, parsed.blocks),
      ...auditMask(text, await markMask(text)),
    ];
    return withLimit(findings.sort((a, b) => a.offset - b.offset));
  };
}

function withLimit(findings: readonly TextFinding[]): TextFinding[] {
  const groups = [...Map.groupBy(findings, ({ rule }) => rule).values()];
  const shown = new Set(groups.flatMap((group) => group.slice(0, MAX_OF_ONE_RULE)));
  const more = new Map(groups.map((group) => [group[MAX_OF_ONE_RULE - 1], group.length - MAX_OF_ONE_RULE]));
  return findings.flatMap((finding) => {
    if (!shown.has(finding)) return [];
    const left = more.get(finding) ?? 0;
    const message = `${finding.message} (and ${left} more of this rule in the row)`;
    return left > 0 ? [{ ...finding, message }] : [finding];
  });
}

/**
 * Grammar findings that can't come from a text: its blocks get their writer from the profile's own table, and tags
 * that it doesn't have are no blocks.
 */
type FromBlocksAlone = 'wrong_writer' | 'unknown_tag';

/** What breaks the profile's grammar, at the blocks' places in the text. */
function grammarFindings(profile: Profile, blocks: readonly ParsedBlock[], length: number): TextFinding[] {
  return checkGrammar(profile, blocks).flatMap((finding) => {
    const block = blocks[finding.block];
    const rule = ruleOf(finding, block);
    return rule ? [{ rule, offset: block?.start ?? length, message: finding.message }] : [];
  });
}

function ruleOf(finding: GrammarFinding, block: ParsedBlock | undefined): TextFinding['rule'] | undefined {
  const code: Exclude<GrammarFinding['code'], FromBlocksAlone> | undefined =
    finding.code === 'wrong_writer' || finding.code === 'unknown_tag' ? undefined : finding.code;
  if (code === 'bad_body' && block?.body.trim() === '') return 'empty_block';
  // Observations have a rule of their own, which sees more.
  if (code === 'tag_in_text' && block?.origin === 'environment') return undefined;
  return code;
}

/** Look-alikes of structure in observations that no backslash escapes. Control tokens have their own rule. */
function* lookAlikeFindings(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFinding> {
  for (const block of blocks) {
    if (block.origin !== 'environment') continue;
    for (const at of unescapedLookAlikes(block.body, structuralTagsOf(profile))) {
      if (/^<[|｜]/.test(block.body.slice(at - 1, at + 1))) continue;
      const around = JSON.stringify(block.body.slice(Math.max(0, at - 12), at + 20));
      yield {
        rule: 'look_alike_in_observation',
        offset: block.start + `<${block.tag}>`.length + at,
        message: `${around} looks like structure; a backslash here makes it text`,
      };
    }
  }
}

/** The places where escaping writes the first backslash of a look-alike. */
function* unescapedLookAlikes(text: string, tags: readonly string[]): Generator<number> {
  const { text: escaped, count } = escapeStructure(text, tags);
  if (count === 0) return;
  let shift = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === escaped[at + shift]) continue;
    shift += 1;
    // The backslash that was added to others shows only after them.
    if (text[at - 1] !== '\\') yield at;
  }
}

/** Blocks that say what an earlier one said. Grades, scores, suggested and final answers may. */
function* repeatFindings(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFinding> {
  const seen = new Map<string, number>();
  for (const [index, block] of blocks.entries()) {
    const rule = repeatRule(tagRule(profile, block.tag));
    if (rule === undefined || block.body.trim() === '') continue;
    const words = block.body.replace(/\s+/g, ' ').trim();
    const key = `${block.tag}\n${rule === 'duplicate_query' ? words.toLowerCase() : words}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else {
      const message = `<${block.tag}> repeats block ${earlier + 1} of the text: ${JSON.stringify(words.slice(0, 60))}`;
      yield { rule, offset: block.start, message };
    }
  }
}

function repeatRule(tag: TagRule | undefined): 'duplicate_query' | 'duplicate_block' | undefined {
  if (tag?.kind === 'tool') return 'duplicate_query';
  const inOwnWords = tag?.kind === 'thinking' || tag?.kind === 'plan' || tag?.kind === 'reflection';
  return inOwnWords && tag.body === 'text' ? 'duplicate_block' : undefined;
}
