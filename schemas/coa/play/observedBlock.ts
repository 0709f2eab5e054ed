import { type Block, normaliseText, observationBody } from '../layout.ts';
import { neutralise } from '../neutralise.ts';
import { type Profile, tagOfKind } from '../profile.ts';
import { structuralTagsOf } from '../profileRegistry.ts';

/** An observation as a block, and how many look-alikes of structure were made harmless in it. */
export interface ObservedBlock {
  readonly block: Block;
  readonly neutralised: number;
}

/** What stands for the result of a tool that said nothing, such as a command without output: no block is empty. */
export const NO_OUTPUT = '(no output)';

/** What a tool showed as a block of the profile; undefined for a profile without observations. */
export function observedBlock(profile: Profile, shown: string): ObservedBlock | undefined {
  const tag = tagOfKind(profile, 'observation');
  if (tag === undefined) return undefined;
  const { text, count } = neutralise(
    normaliseText(shown.trim() === '' ? NO_OUTPUT : shown),
    structuralTagsOf(profile),
  );
  return { block: { tag, origin: 'environment', body: observationBody(text) }, neutralised: count };
}
