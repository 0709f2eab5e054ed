import { neutralise } from '../../../schemas/coa/neutralise.ts';
import type { ParsedBlock } from '../../../schemas/coa/parse.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../../schemas/coa/structuralTags.ts';
import type { TextFinding } from '../finding.ts';

/** Look-alikes of structure in observations that no backslash makes harmless. Control tokens have their own rule. */
export function* lookAlikeFindings(profile: Profile, blocks: readonly ParsedBlock[]): Generator<TextFinding> {
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

/** The places where neutralising writes the first backslash of a look-alike. */
function* unescapedLookAlikes(text: string, tags: readonly string[]): Generator<number> {
  const { text: harmless, count } = neutralise(text, tags);
  if (count === 0) return;
  let shift = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === harmless[at + shift]) continue;
    shift += 1;
    // The backslash that was added to others shows only after them.
    if (text[at - 1] !== '\\') yield at;
  }
}
