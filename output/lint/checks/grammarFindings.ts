import { checkGrammar, type GrammarFinding } from '../../../schemas/coa/check.ts';
import type { ParsedBlock } from '../../../schemas/coa/parse.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import type { TextFinding } from '../finding.ts';

/**
 * Grammar findings that can't come from a text: its blocks get their writer from the profile's own table, and tags
 * that it doesn't have are no blocks.
 */
type FromBlocksAlone = 'wrong_writer' | 'unknown_tag';

/** What breaks the profile's grammar, at the blocks' places in the text. */
export function grammarFindings(
  profile: Profile,
  blocks: readonly ParsedBlock[],
  length: number,
): TextFinding[] {
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
