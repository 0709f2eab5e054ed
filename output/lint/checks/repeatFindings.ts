import type { ParsedBlock } from '../../../schemas/coa/parse.ts';
import { type Profile, type TagRule, tagRule } from '../../../schemas/coa/profile.ts';
import type { TextFinding } from '../finding.ts';

/** Blocks that say what an earlier one said. Grades, scores, suggested and final answers may. */
export function* repeatFindings(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFinding> {
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
