import { escapeStructure } from '../escapeStructure.ts';
import { type Block, normaliseText, observationBody } from '../layout.ts';
import { type Profile, renderPrompt, tagOfKind } from '../profile.ts';
import { structuralTagsOf } from '../profileRegistry.ts';

/** Turns that ask a profile's student a question, in training and in play, with the number of escaped look-alikes. */
export function askedTurns(profile: Profile, question: string, system: string) {
  const { text, count } = escapeStructure(normaliseText(question), structuralTagsOf(profile));
  return { turns: { system, user: renderPrompt(profile, text).user, question: text }, neutralised: count };
}

/** Placeholder for an empty tool result, such as a command without output: no block is empty. */
const NO_OUTPUT = '(no output)';

/**
 * Observation block of a tool's text, with the number of escaped look-alikes; undefined for a profile without
 * observations.
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
