import { canonicalBody } from '../../../schemas/coa/bodies.ts';
import { type Block, normaliseText } from '../../../schemas/coa/layout.ts';
import { neutralise, restore } from '../../../schemas/coa/neutralise.ts';
import { parseBlocks } from '../../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../../schemas/coa/parseIssue.ts';
import { type Profile, tagRule } from '../../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../../schemas/coa/structuralTags.ts';

/** The output column as blocks, made fit for a row of ours. */
export interface ReadOutput {
  readonly blocks: readonly Block[];
  /** Why it is no sequence of blocks; white space between them aside. */
  readonly issue: ParseIssue | undefined;
  /** True where the text of a block had to be changed: to the form in which it is written, or to be no structure. */
  readonly isRepaired: boolean;
}

/** Reads an output column. */
export function readOutput(profile: Profile, output: string): ReadOutput {
  const { blocks: found, issues } = parseBlocks(profile, output.trim());
  const blocks = found.map((block) => writtenBlock(profile, block));
  const grave = issues.filter((issue) => issue.code !== 'wrong_layout');
  return {
    blocks,
    // Text without any tag is between tags, but that there are none says more.
    issue:
      grave.findLast((issue) => issue.code === 'no_blocks' && grave[0]?.code === 'text_between_tags') ??
      grave[0],
    isRepaired: blocks.some((block, at) => block.body !== found[at]!.body),
  };
}

/** Text between tags in the normal form of rows; look-alikes in observations harmless, unless they are already. */
function writtenBlock(profile: Profile, { tag, origin, body }: Block): Block {
  const normal = normaliseText(body);
  if (origin === 'model') return { tag, origin, body: canonicalBody(tagRule(profile, tag)!.body, normal) };
  const tags = structuralTagsOf(profile);
  const isHarmless = neutralise(restore(normal, tags), tags).text === normal;
  const text = isHarmless ? normal : neutralise(normal, tags).text;
  return { tag, origin, body: `\n${text.replace(/^\n/, '').replace(/\n$/, '')}\n` };
}
