import type { Trajectory } from '../../trajectory.ts';
import { normaliseText } from '../layout.ts';
import { neutralise } from '../neutralise.ts';
import { type Profile, renderPrompt } from '../profile.ts';
import { structuralTagsOf } from '../profileRegistry.ts';

/** The turns before a trajectory, and how many look-alikes of structure were made harmless in the question. */
export interface AskedTurns {
  readonly turns: Pick<Trajectory, 'system' | 'user' | 'question'>;
  readonly neutralised: number;
}

/** The turns in which a profile's student is asked a question, in training and when it plays. */
export function askedTurns(profile: Profile, question: string, system: string): AskedTurns {
  const { text, count } = neutralise(normaliseText(question), structuralTagsOf(profile));
  return { turns: { system, user: renderPrompt(profile, text).user, question: text }, neutralised: count };
}
