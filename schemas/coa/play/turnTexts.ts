import { escapeStructure } from '../escapeStructure.ts';
import { type Block, normaliseText, observationBody } from '../layout.ts';
import { type Profile, renderPrompt, tagOfKind } from '../profile.ts';
import { structuralTagsOf } from '../profileRegistry.ts';

/**
 * The turns in which a profile's student is asked a question, in training and when it plays, and how many look-alikes of
 * structure were escaped in it.
 */
export function askedTurns(profile: Profile, question: string, system: string) {
  const { text, count } = escapeStructure(normaliseText(question), structuralTagsOf(profile));
  return { turns: { system, user: renderPrompt(profile, text).user, question: text }, neutralised: count };
}

/** What stands for the result of a tool that said nothing, such as a command without output: no block is empty. */
const NO_OUTPUT = '(no output)';

/**
 * What a tool showed as a block of the profile, and how many look-alikes of structure were escaped in it; undefined for a
 * profile without observations.
 */
export function observedBlock(
  profile: Profile,
  shown: string,
): { readonly block: Block; readonly neutralised: number } | undefined {
  const tag = tagOfKind(profile, 'observation');
  if (tag === undefined) return undefined;
  const { text, count } = escapeStructure(
    normaliseText(shown.trim() === '' ? NO_OUTPUT : shown),
    structuralTagsOf(profile),
  );
  return { block: { tag, origin: 'environment', body: observationBody(text) }, neutralised: count };
}
