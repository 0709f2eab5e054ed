import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import { type PromptTurns, placeholderTurns } from '../chatTemplates/chatTemplate.ts';
import { segmentParts } from './rowPieces.ts';
import type { Escaped, SpecialTokenEscaper } from './specialTokenEscaper.ts';

export interface EscapedRow {
  readonly texts: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  /** Turns that contain only the profile's own text, see `ChatTemplate.render`. */
  readonly placeholders: PromptTurns;
  /** Number of escaped special tokens in the prompt and in segments. */
  readonly escapedTokens: number;
  /** Number of texts repaired to well-formed Unicode in normal form C: user, system, segments. */
  readonly repairedTexts: number;
}

/**
 * Normalises texts to NFC, replaces lone surrogates by U+FFFD, and escapes the tokenizer's added tokens in text of
 * agents, pages and people. Two exceptions are written by the serialiser: a segment's own tags, which are added tokens
 * of some models (Qwen3's `<think>`), and the profile's instruction, which names the tags.
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

/** Unicode normal form C without lone surrogates. */
export function normalText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC');
}

/** Escapes the special tokens in a segment's body, but not in its own tags. */
export function escapeSegment(
  { tag, text }: Pick<Segment, 'tag' | 'text'>,
  escaper: SpecialTokenEscaper,
): Escaped & { readonly isRepaired: boolean } {
  const normal = normalText(text);
  const { start, body, end, feeds } = segmentParts({ tag, text: normal });
  const escaped = escaper.escape(body);
  return { text: start + escaped.text + end + feeds, count: escaped.count, isRepaired: normal !== text };
}
