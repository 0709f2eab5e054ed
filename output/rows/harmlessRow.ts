import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import { harmlessTurns, type PromptTurns } from '../chatTemplates/chatTemplate.ts';
import type { Disarmed, Disarmer } from './disarmer.ts';
import { segmentParts } from './rowPieces.ts';

/** A trajectory's texts as a row has them. */
export interface HarmlessRow {
  readonly texts: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  /** Turns with nobody's words but the profile's, see `ChatTemplate.render`. */
  readonly harmless: PromptTurns;
  /** Places in the prompt and in segments where an added token was made harmless. */
  readonly disarmedTokens: number;
  /** Texts that were no well-formed Unicode in normal form C: the user's, the system's, segments'. */
  readonly repairedTexts: number;
}

/**
 * Brings the texts to NFC, lone surrogates to U+FFFD, and takes the tokenizer's added tokens out of what agents,
 * pages and people wrote. Two places keep them, for the serialiser writes them itself: a segment's own tags, which
 * are added tokens of some models (Qwen3's `<think>`), and the instruction of the profile, which names the tags.
 */
export function harmlessRow(source: HarmlessRow['texts'], profile: Profile, disarmer: Disarmer): HarmlessRow {
  const { system, user, question, segments } = normalTexts(source);
  const instructed = (asked: string) => normalText(renderPrompt(profile, asked).user);
  const isProfiles = instructed(question) === user;
  const asked = disarmer.disarm(question);
  const harmless = {
    system: disarmer.disarm(system),
    user: isProfiles ? { text: instructed(asked.text), count: asked.count } : disarmer.disarm(user),
    bodies: segments.map((segment) => disarmedSegment(segment, disarmer)),
  };
  return {
    texts: {
      system: harmless.system.text,
      user: harmless.user.text,
      question: asked.text,
      segments: segments.map((segment, at) => ({ ...segment, text: harmless.bodies[at]!.text })),
    },
    harmless: { ...harmlessTurns, ...(isProfiles ? { user: instructed(harmlessTurns.user) } : {}) },
    disarmedTokens: [harmless.system, harmless.user, ...harmless.bodies].reduce(
      (sum, { count }) => sum + count,
      0,
    ),
    repairedTexts: [
      system !== source.system,
      user !== source.user,
      ...segments.map((segment, at) => segment.text !== source.segments[at]!.text),
    ].filter(Boolean).length,
  };
}

function normalTexts({ system, user, question, segments }: HarmlessRow['texts']): HarmlessRow['texts'] {
  return {
    system: normalText(system),
    user: normalText(user),
    question: normalText(question),
    segments: segments.map((segment) => ({ ...segment, text: normalText(segment.text) })),
  };
}

function normalText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC');
}

function disarmedSegment(segment: Segment, disarmer: Disarmer): Disarmed {
  const { start, body, end, feeds } = segmentParts(segment);
  const { text, count } = disarmer.disarm(body);
  return { text: start + text + end + feeds, count };
}
