import type { Block } from '../../../schemas/coa/layout.ts';
import { parseBlocks } from '../../../schemas/coa/parse.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { RowRefusal } from '../rowRefusal.ts';

/**
 * What an agent said, as blocks, where it speaks in the profile's tags from its first character to its last; undefined
 * for plain text, which may quote tags.
 *
 * @throws RowRefusal (`malformed_row`) when the tags don't pair up; white space between them does not matter
 */
export function taggedBlocks(profile: Profile, text: string, path: string): readonly Block[] | undefined {
  const trimmed = text.trim();
  const names = profile.tags.map((rule) => rule.tag).join('|');
  if (!new RegExp(`^<(?:${names})>[\\s\\S]*</(?:${names})>$`).test(trimmed)) return undefined;
  const { blocks, issues } = parseBlocks(profile, trimmed);
  const wrong = issues.find((issue) => issue.code !== 'wrong_layout');
  if (!wrong) return blocks;
  throw new RowRefusal('malformed_row', wrong.code, path, `${wrong.message} (character ${wrong.offset})`);
}
