import {
  afmTagProblem,
  type MaskMark,
  type MaskRange,
  rangesOutside,
  scanMaskMarks,
} from '../../../schemas/trainers/afmMask.ts';
import type { TextFinding } from '../finding.ts';
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
  const message = `${tag} is not ${tag.toLowerCase()}: AFM's fork does not see it`;
  return { rule: 'afm_wrong_case', offset, message };
}

function droppedFinding(
  problem: 'count_mismatch' | 'wrong_nesting',
  text: string,
  tags: WrittenTags,
  wrongCase: readonly WrittenTag[],
): TextFinding {
  const offset = tags.unpaired?.offset ?? wrongCase[0]?.offset ?? 0;
  const count = (tag: string) => `${text.split(tag).length - 1} ${tag}`;
  const what =
    problem === 'wrong_nesting'
      ? '</observation> comes before its <observation>'
      : `${count('<observation>')} and ${count('</observation>')}`;
  return { rule: `afm_${problem}`, offset, message: `${what}: AFM's fork drops the row` };
}

/** What AFM's fork masks, or never stops masking, that is not an observation. */
function maskConsequences(
  text: string,
  observations: readonly WrittenObservation[],
  marks: readonly MaskMark[],
): TextFinding[] {
  const { masked, unclosed } = scanMaskMarks(marks);
  const own = observations.map(({ open, end }) => ({
    from: open,
    to: end + /^\n{0,2}/.exec(text.slice(end, end + 2))![0].length,
  }));
  const modelText = rangesOutside(own, text.length);
  const starts = marks.filter((mark) => mark.kind === 'start');
  return [
    ...overlaps(starts, modelText).map(({ from }): TextFinding => {
      const message = "<observation in other text: AFM's fork opens a mask here";
      return { rule: 'afm_stray_start_marker', offset: from, message };
    }),
    ...overlaps(masked, modelText).map(({ from, to }): TextFinding => {
      const message = `AFM's fork masks ${to - from} characters from here on, which are not an observation`;
      return { rule: 'afm_spans_model_text', offset: from, message };
    }),
    ...[unclosed ?? []].flat().map(({ from }): TextFinding => {
      const message = "the mask that begins here never ends: AFM's fork drops the row";
      return { rule: 'afm_unclosed', offset: from, message };
    }),
  ];
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

/** What AFM's fork misses at the observations' own tags, whether or not an earlier fault hides the effect. */
function layoutCauses(
  text: string,
  observations: readonly WrittenObservation[],
  marks: readonly MaskMark[],
): TextFinding[] {
  const starts = new Set(marks.filter((mark) => mark.kind === 'start').map((mark) => mark.from));
  const ends = marks.filter((mark) => mark.kind === 'end').map((mark) => mark.from);
  const endSet = new Set(ends);
  const findings: TextFinding[] = [];
  let next = 0;
  for (const { open, close } of observations) {
    const body = open + '<observation>'.length;
    if (text.startsWith('<observation>', open) && !starts.has(open)) findings.push(missedStart(text, open));
    while (next < ends.length && ends[next]! < body) next += 1;
    for (; next < ends.length && ends[next]! < close; next += 1) findings.push(quotedEnd(ends[next]!));
    const endSeen = endSet.has(close + '</'.length);
    if (text.startsWith('</observation>', close) && !endSeen) findings.push(missedEnd(text, close));
  }
  return findings;
}

function missedStart(text: string, offset: number): TextFinding {
  const before = [...text.slice(Math.max(0, offset - 2), offset)].at(-1) ?? '';
  const rule = missedStartRule(before);
  const message = `${JSON.stringify(before)} right before <observation> changes its tokens: AFM's fork trains on this observation; put exactly one line feed between`;
  return { rule, offset, message };
}

function missedStartRule(before: string) {
  if (before === ' ') return 'afm_space_before_tag';
  if (/[^\p{White_Space}\p{L}\p{N}]/u.test(before)) return 'afm_bracket_before_tag';
  return 'afm_start_missed';
}

function quotedEnd(offset: number): TextFinding {
  const message =
    "observation> and a blank line inside an observation: AFM's fork ends the mask here and trains on the rest; escape it";
  return { rule: 'afm_quoted_end_marker', offset, message };
}

function missedEnd(text: string, offset: number): TextFinding {
  const found = whatFollows(text, offset + '</observation>'.length);
  const message = `</observation> is followed by ${found} where two line feeds belong: AFM's fork does not see this end`;
  return { rule: 'afm_missing_blank_line', offset, message };
}

/** The spacing after an end tag, in words. */
function whatFollows(text: string, offset: number): string {
  const spaces = /\s*/y;
  spaces.lastIndex = offset;
  const gap = spaces.exec(text)?.[0] ?? '';
  if (gap === '') return offset === text.length ? 'nothing' : 'no line feed';
  if (gap.includes('\r')) return 'a carriage return';
  if (!gap.startsWith('\n')) return 'trailing white space';
  const feeds = /^\n*/.exec(gap)![0].length;
  return feeds === 1 ? 'one line feed' : `${feeds} line feeds`;
}
