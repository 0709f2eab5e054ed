import {
  afmTagProblem,
  type MaskMark,
  type MaskRange,
  rangesOutside,
  scanMaskMarks,
} from '../../../schemas/trainers/afmMask.ts';
import type { TextFinding } from '../finding.ts';
import { layoutCauses } from './layoutCauses.ts';
import {
  type WrittenObservation,
  type WrittenTag,
  type WrittenTags,
  writtenObservations,
  wrongCaseTags,
} from './writtenObservations.ts';

/**
 * Says what AFM's fork does wrong with a text, in its writer's terms; nothing when it keeps the row and masks exactly
 * the observations, each with its blank line.
 *
 * @param text as it stands in the row: the fork counts tags in it, and only its tokens are of the text in NFC
 * @param marks where the fork's token patterns match, in code units of the text
 */
export function auditMask(text: string, marks: readonly MaskMark[]): TextFinding[] {
  const problem = afmTagProblem(text);
  const tags = writtenObservations(text, problem === undefined);
  const wrongCase = wrongCaseTags(text, tags.observations);
  const findings = [
    ...wrongCase.map(wrongCaseFinding),
    ...layoutCauses(text, tags.observations, marks),
    ...(problem
      ? [droppedFinding(problem, text, tags, wrongCase)]
      : maskConsequences(text, tags.observations, marks)),
  ];
  return findings.sort((a, b) => a.offset - b.offset);
}

function wrongCaseFinding({ offset, tag }: WrittenTag): TextFinding {
  return {
    rule: 'afm_wrong_case',
    offset,
    message: `${tag} is not ${tag.toLowerCase()}: AFM's fork does not see it`,
  };
}

function droppedFinding(
  problem: 'count_mismatch' | 'wrong_nesting',
  text: string,
  tags: WrittenTags,
  wrongCase: readonly WrittenTag[],
): TextFinding {
  const offset = tags.unpaired?.offset ?? wrongCase[0]?.offset ?? 0;
  if (problem === 'wrong_nesting') {
    const message = "</observation> comes before its <observation>: AFM's fork drops the row";
    return { rule: 'afm_wrong_nesting', offset, message };
  }
  const starts = text.split('<observation>').length - 1;
  const ends = text.split('</observation>').length - 1;
  const message = `${starts} <observation> and ${ends} </observation>: AFM's fork drops the row`;
  return { rule: 'afm_count_mismatch', offset, message };
}

/** What AFM's fork masks, or never stops masking, that is no observation. */
function maskConsequences(
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
