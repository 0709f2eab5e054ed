import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import { type PromptTurns, placeholderTurns } from '../chatTemplates/chatTemplate.ts';
import { segmentParts } from './rowPieces.ts';
import type { Escaped, SpecialTokenEscaper } from './specialTokenEscaper.ts';

/** A trajectory's texts as a row has them. */
export interface EscapedRow {
  readonly texts: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  /** Turns with nobody's words but the profile's, see `ChatTemplate.render`. */
  readonly placeholders: PromptTurns;
  /** Places in the prompt and in segments where a special token was escaped. */
  readonly escapedTokens: number;
  /** Texts that were not well-formed Unicode in normal form C: the user's, the system's, segments'. */
  readonly repairedTexts: number;
}

/**
 * Brings the texts to NFC, lone surrogates to U+FFFD, and escapes the tokenizer's added tokens in what agents, pages
 * and people wrote. Two places keep them, for the serialiser writes them itself: a segment's own tags, which are
 * added tokens of some models (Qwen3's `<think>`), and the instruction of the profile, which names the tags.
 */
export function escapeSpecialTokens(
  source: EscapedRow['texts'],
  profile: Profile,
  escaper: SpecialTokenEscaper,
): EscapedRow {
  const system = normalText(source.system);
  const user = normalText(source.user);
  const instructed = (asked: string) => normalText(renderPrompt(profile, asked).user);
  const isProfiles = instructed(normalText(source.question)) === user;
  const asked = escaper.escape(normalText(source.question));
  const turns = {
    system: escaper.escape(system),
    user: isProfiles ? { text: instructed(asked.text), count: asked.count } : escaper.escape(user),
  };
  const bodies = source.segments.map((segment) => escapeSegment(segment, escaper));
  const repaired = [system !== source.system, user !== source.user, ...bodies.map((body) => body.isRepaired)];
  return {
    texts: {
      system: turns.system.text,
      user: turns.user.text,
      question: asked.text,
      segments: source.segments.map((segment, at) => ({ ...segment, text: bodies[at]!.text })),
    },
    placeholders: {
      ...placeholderTurns,
      ...(isProfiles ? { user: instructed(placeholderTurns.user) } : {}),
    },
    escapedTokens: [turns.system, turns.user, ...bodies].reduce((sum, { count }) => sum + count, 0),
    repairedTexts: repaired.filter(Boolean).length,
  };
}

/** Text in Unicode normal form C, without lone surrogates. */
export function normalText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC');
}

/** A segment's text with the special tokens of its body escaped; its own tags stay. */
export function escapeSegment(
  { tag, text }: Pick<Segment, 'tag' | 'text'>,
  escaper: SpecialTokenEscaper,
): Escaped & { readonly isRepaired: boolean } {
  const normal = normalText(text);
  const { start, body, end, feeds } = segmentParts({ tag, text: normal });
  const escaped = escaper.escape(body);
  return { text: start + escaped.text + end + feeds, count: escaped.count, isRepaired: normal !== text };
}
