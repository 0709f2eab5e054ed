import type { MaskConfig } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** A stretch of text and whether it is trained. */
export type Span = [text: string, trained: boolean];

/**
 * What the assistant's turn of a row holds and what of it is trained, worked out without any of the exporter's code,
 * for built-in profiles.
 *
 * @param kept - How many segments the row has; an end of turn follows only when it has all.
 */
export function outputSpans(
  { segments, quality }: Pick<Trajectory, 'segments' | 'quality'>,
  mask: MaskConfig,
  kept: number,
  endOfTurn: string,
): Span[] {
  const out = new Set<number>();
  for (const { subject, marked_segments = [] } of quality.verdicts)
    for (const at of marked_segments) if (mask.marked === 'skip' || subject === 'review') out.add(at);
  let steps = 1;
  for (let at = kept - 1; at >= 0; at--) {
    const { tag, origin } = segments[at]!;
    if (origin === 'environment' && at < kept - 1) steps += 1;
    const isEarlier = mask.last_steps !== null && steps > mask.last_steps;
    const isThought = tag === 'think' && !mask.thinking;
    if (origin === 'environment' || isEarlier || isThought || mask.tag_weights[tag] === 0) out.add(at);
  }
  const spans = segments.slice(0, kept).map(({ text }, at): Span => [text, !out.has(at)]);
  return kept === segments.length ? [...spans, [endOfTurn, true]] : spans;
}
