import { z } from 'zod';

/**
 * How AFM's fork of LLaMA-Factory finds observations (`ignore_observation: true`): it first counts tags in the text,
 * then looks for two token patterns in the ids of the answer. Nothing tells the user what it missed.
 */

/** Token patterns that the fork searches for. */
export interface AfmMaskPatterns {
  /** Ids of `<observation`. */
  readonly start: readonly number[];
  /** Ids of `observation>` and two line feeds. */
  readonly end: readonly number[];
}

/** Reason why the fork drops a row. */
type AfmDropReason = 'count_mismatch' | 'wrong_nesting' | 'unclosed';

export interface MaskRange {
  readonly from: number;
  readonly to: number;
}

/** A match of a pattern. */
export interface MaskMark extends MaskRange {
  readonly kind: 'start' | 'end';
}

/** Result of the fork for an answer. */
export type AfmMask =
  | { readonly kept: true; readonly trained: readonly MaskRange[] }
  | { readonly kept: false; readonly reason: AfmDropReason };

/** Text check of the fork before it looks at ids; undefined if the tags match. */
export function afmTagProblem(
  output: string,
  tag = 'observation',
): 'count_mismatch' | 'wrong_nesting' | undefined {
  let depth = 0;
  let lowest = 0;
  for (const [found] of output.matchAll(new RegExp(`</?${tag}>`, 'g'))) {
    depth += found.startsWith('</') ? -1 : 1;
    lowest = Math.min(lowest, depth);
  }
  if (depth !== 0) return 'count_mismatch';
  return lowest < 0 ? 'wrong_nesting' : undefined;
}

/** All matches of the patterns, in order; the two kinds may overlap. */
export function findMaskMarks(ids: ArrayLike<number>, patterns: AfmMaskPatterns): MaskMark[] {
  const marks: MaskMark[] = [];
  for (let at = 0; at < ids.length; at++) {
    if (matchesAt(ids, at, patterns.start))
      marks.push({ kind: 'start', from: at, to: at + patterns.start.length });
    if (matchesAt(ids, at, patterns.end)) marks.push({ kind: 'end', from: at, to: at + patterns.end.length });
  }
  return marks;
}

function matchesAt(ids: ArrayLike<number>, at: number, pattern: readonly number[]): boolean {
  return pattern.every((id, offset) => ids[at + offset] === id);
}

/**
 * The fork's scan from left to right: outside a mask only a start counts, inside only an end, and a mark that begins
 * before the last one ended is not seen. The mask holds both marks. Works on marks in tokens and in text alike.
 *
 * @returns what it masks, and the mark that is still open at the end
 */
export function scanMaskMarks(marks: Iterable<MaskMark>) {
  const masked: MaskRange[] = [];
  let open: MaskMark | undefined;
  let cursor = 0;
  for (const mark of marks) {
    if (mark.from < cursor || mark.kind !== (open ? 'end' : 'start')) continue;
    cursor = mark.to;
    if (open) masked.push({ from: open.from, to: mark.to });
    open = open ? undefined : mark;
  }
  return { masked, unclosed: open };
}

/** Parts of `[0, length)` outside the given sorted, disjoint ranges, without empty ones. */
export function rangesOutside(ranges: readonly MaskRange[], length: number): MaskRange[] {
  const starts = [0, ...ranges.map((range) => range.to)];
  const ends = [...ranges.map((range) => range.from), length];
  return starts.map((from, at) => ({ from, to: ends[at]! })).filter((range) => range.from < range.to);
}

/**
 * What the fork does with an answer.
 *
 * @param output the alpaca row's `output`
 * @param ids ids of the output and the end of the turn (`<|im_end|>` and a line feed for Qwen)
 * @param patterns of the tag
 * @param tag the fork's `ignore_observation_token`
 */
export function afmMask(
  output: string,
  ids: ArrayLike<number>,
  patterns: AfmMaskPatterns,
  tag?: string,
): AfmMask {
  const problem = afmTagProblem(output, tag);
  if (problem) return { kept: false, reason: problem };
  const { masked, unclosed } = scanMaskMarks(findMaskMarks(ids, patterns));
  if (unclosed) return { kept: false, reason: 'unclosed' };
  return { kept: true, trained: rangesOutside(masked, ids.length) };
}

/** A row of AFM's layout: alpaca columns, exactly these. The user turn is `instruction`, then `input` on a line of its own. */
export const afmRowSchema = z.strictObject({
  instruction: z.string().min(1),
  input: z.string(),
  /** The whole tagged trajectory. AFM's fork masks the observations by their tokens. */
  output: z.string().min(1),
});
export type AfmRow = z.infer<typeof afmRowSchema>;
