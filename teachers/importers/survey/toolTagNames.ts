import { sha256Hex } from '../../../base/ids.ts';
import { chatMarkup } from '../../../schemas/coa/neutralise.ts';
import type { BodyRule } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { answer, plan, think } from '../../../schemas/coa/profiles/tags.ts';

const builtinTags = Object.values(builtinProfiles).flatMap(({ tags }) => tags);

/** The body of a tool's tag of the built-in profiles; undefined for any other tag. */
export function builtinToolBody(tag: string): BodyRule | undefined {
  return builtinTags.find((rule) => rule.tag === tag && rule.kind === 'tool')?.body;
}

/**
 * A tag for each tool, from its name: tools whose names give the same tag are told apart by a number, and the tool that
 * has the tag for its name keeps it. Independent of the order in which the tools come.
 *
 * @param bodies by the tool's name
 * @param taken tags that no tool may have
 */
export function tagsOfTools(
  bodies: ReadonlyMap<string, BodyRule>,
  taken: Iterable<string>,
): ReadonlyMap<string, string> {
  const used = new Set(taken);
  const wanted = [...bodies].map(([name, body]) => ({ name, tag: legalTag(name, body) }));
  const isOwn = ({ name, tag }: { readonly name: string; readonly tag: string }) => name === tag;
  const inOrder = wanted.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.name < b.name ? -1 : 1));
  return new Map(
    inOrder.map(({ name, tag }) => {
      let free = tag;
      for (let nth = 2; used.has(free); nth++) free = `${tag}_${nth}`;
      used.add(free);
      return [name, free];
    }),
  );
}

/** Whether a profile that is built can have a tag for a tool, or for an action that is one. */
export function canBeBuiltTag(tag: string): boolean {
  const actions: readonly string[] = [think.tag, plan.tag, answer.tag];
  return actions.includes(tag) || legalTag(tag, builtinToolBody(tag) ?? 'json') === tag;
}

/** What a profile allows as a tag, see `profileProblems`. A built-in tag keeps its kind and body in every profile. */
function legalTag(name: string, body: BodyRule): string {
  const folded = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .replaceAll('observation', 'obs');
  // A name without a Latin letter or digit.
  const tag = folded === '' ? `tool_${sha256Hex(name).slice(0, 6)}` : folded;
  const isOther = builtinTags.some((rule) => rule.tag === tag) && builtinToolBody(tag) !== body;
  if (isOther || (chatMarkup as readonly string[]).includes(tag)) return `${tag}_tool`;
  return /^[a-z]/.test(tag) ? tag : `tool_${tag}`;
}
