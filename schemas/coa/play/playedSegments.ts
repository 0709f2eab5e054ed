import { z } from 'zod';
import { type Block, layOutBlocks } from '../layout.ts';
import { parseBlocks } from '../parse.ts';
import { type Profile, tagOfKind } from '../profile.ts';
import { incidentSchema, isBroken } from './readStep.ts';
import { observedBlock } from './turnTexts.ts';

/** `answer` of an agent call if one model plays every agent: one step of its text. */
export const playedAnswerSchema = z.object({
  /** The step as in the trajectory, without the line feed after a call. */
  text: z.string(),
  /** Tool or answer that ended it; null otherwise. */
  tag: z.string().nullable(),
  incidents: z.array(incidentSchema),
  /** True if the player wrote the start tag of the answer because a limit was reached. */
  forced: z.boolean().optional(),
});
export type PlayedAnswer = z.infer<typeof playedAnswerSchema>;

/** A piece of a played trajectory with its parsed block. */
export interface PlayedSegment extends Block {
  /** Literal text: the block, and the text up to the next one. */
  readonly text: string;
}

/**
 * A model's step in segments, whose texts joined are the step's to the byte and the line feed before an observation.
 * Text between blocks goes to the block before it, text before the first block to that; a step whose tags don't match
 * is one segment. A forced answer is not all the model's own, so its origin is the environment.
 */
export function stepSegments(profile: Profile, { text, tag, forced }: PlayedAnswer): PlayedSegment[] {
  if (forced) return [answerSegment(profile, text)];
  if (text === '') return [];
  const { blocks, issues } = parseBlocks(profile, text);
  const feed = tag === null || tag === tagOfKind(profile, 'answer') ? '' : '\n';
  if (isBroken(issues) || blocks.length === 0) {
    const whole = tag ?? blocks.at(-1)?.tag ?? profile.first[0]!;
    return [{ tag: whole, origin: 'model', body: text, text: text + feed }];
  }
  return blocks.map(({ tag: own, body, start }, at) => {
    const next = blocks[at + 1]?.start;
    const piece = text.slice(at === 0 ? 0 : start, next);
    return { tag: own, origin: 'model', body, text: next === undefined ? piece + feed : piece };
  });
}

/** Start tag written by the player to force an answer. */
export function answerStart(profile: Profile): string {
  return `<${tagOfKind(profile, 'answer')}>`;
}

/** An answer written wholly or in part by the player; `rest` follows the start tag. */
export function answerSegment(profile: Profile, rest: string): PlayedSegment {
  const tag = tagOfKind(profile, 'answer')!;
  return {
    tag,
    origin: 'environment',
    body: rest.replace(`</${tag}>`, ''),
    text: answerStart(profile) + rest,
  };
}

/** Observation of a tool in conversion's layout; undefined for a profile without observations. */
export function observationSegment(
  profile: Profile,
  shown: string,
): { readonly segment: PlayedSegment; readonly neutralised: number } | undefined {
  const observed = observedBlock(profile, shown);
  return observed && { segment: layOutBlocks([observed.block])[0]!, neutralised: observed.neutralised };
}
