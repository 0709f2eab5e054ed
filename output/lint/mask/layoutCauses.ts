import type { MaskMark } from '../../../schemas/trainers/afmMask.ts';
import type { TextFinding } from '../finding.ts';
import type { WrittenObservation } from './writtenObservations.ts';

/** What AFM's fork misses at the observations' own tags, whether or not an earlier fault hides the effect. */
export function layoutCauses(
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
  return {
    rule: 'afm_quoted_end_marker',
    offset,
    message:
      "observation> and a blank line inside an observation: AFM's fork ends the mask here and trains on the rest; neutralise it",
  };
}

function missedEnd(text: string, offset: number): TextFinding {
  const found = whatFollows(text, offset + '</observation>'.length);
  return {
    rule: 'afm_missing_blank_line',
    offset,
    message: `</observation> is followed by ${found} where two line feeds belong: AFM's fork does not see this end`,
  };
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
