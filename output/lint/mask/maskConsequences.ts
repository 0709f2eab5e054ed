import {
  type MaskMark,
  type MaskRange,
  rangesOutside,
  scanMaskMarks,
} from '../../../schemas/trainers/afmMask.ts';
import type { TextFinding } from '../finding.ts';
import type { WrittenObservation } from './writtenObservations.ts';

/** What AFM's fork masks, or never stops masking, that is no observation. */
export function maskConsequences(
  text: string,
  observations: readonly WrittenObservation[],
  marks: readonly MaskMark[],
): TextFinding[] {
  const { masked, unclosed } = scanMaskMarks(marks);
  const modelText = rangesOutside(observations.map(withBlankLine(text)), text.length);
  const findings = [...strayStarts(modelText, marks), ...overlaps(masked, modelText).map(maskedModelText)];
  if (unclosed === undefined) return findings;
  const message = "the mask that begins here never ends: AFM's fork drops the row";
  return [...findings, { rule: 'afm_unclosed', offset: unclosed.from, message }];
}

function withBlankLine(text: string) {
  return ({ open, end }: WrittenObservation): MaskRange => {
    const feeds = text.startsWith('\n\n', end) ? 2 : text.startsWith('\n', end) ? 1 : 0;
    return { from: open, to: end + feeds };
  };
}

function strayStarts(modelText: readonly MaskRange[], marks: readonly MaskMark[]): TextFinding[] {
  const starts = marks.filter((mark) => mark.kind === 'start');
  return overlaps(starts, modelText).map(({ from }) => ({
    rule: 'afm_stray_start_marker',
    offset: from,
    message: "<observation in other text: AFM's fork opens a mask here",
  }));
}

function maskedModelText({ from, to }: MaskRange): TextFinding {
  const message = `AFM's fork masks ${to - from} characters from here on, which are no observation`;
  return { rule: 'afm_spans_model_text', offset: from, message };
}

/** Where two lists of ranges, each in order and apart, overlap. */
function overlaps(left: readonly MaskRange[], right: readonly MaskRange[]): MaskRange[] {
  const common: MaskRange[] = [];
  let first = 0;
  for (const range of left) {
    while (first < right.length && right[first]!.to <= range.from) first += 1;
    for (let at = first; at < right.length && right[at]!.from < range.to; at += 1) {
      const from = Math.max(range.from, right[at]!.from);
      const to = Math.min(range.to, right[at]!.to);
      common.push({ from, to });
    }
  }
  return common;
}
