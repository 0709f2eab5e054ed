import {
  afmMask,
  afmTagProblem,
  findMaskMarks,
  type MaskMark,
  type MaskRange,
  rangesOutside,
  scanMaskMarks,
} from '../../schemas/trainers/afmMask.ts';
import { firstOfEachRule, type TextFault } from './textFaults.ts';
import type { TokenText } from './tokenText.ts';

/** Reasons for which AFM's fork drops a row (the first three) or masks it incorrectly. */
type ForkCause =
  | 'count_mismatch'
  | 'wrong_nesting'
  | 'unclosed'
  | 'wrong_case'
  | 'start_missed'
  | 'end_missed'
  | 'quoted_end'
  | 'stray_start'
  | 'masks_model_text';

export interface ForkFault extends TextFault {
  readonly cause: ForkCause;
}

/** Simulates AFM's fork on an answer: template `qwen`, with its two marks tokenised by the model's tokenizer. */
export async function simulateFork(output: string, tokenText: TokenText, tag = 'observation') {
  const { ids: start } = await tokenText.encode(`<${tag}`);
  const { ids: end } = await tokenText.encode(`${tag}>\n\n`);
  const answer = await tokenText.encode(`${output.toWellFormed()}<|im_end|>\n`);
  const marks = findMaskMarks(answer.ids, { start, end }).map(({ kind, from, to }) => ({
    kind,
    from: answer.starts[from]!,
    to: answer.ends[to - 1]!,
  }));
  return {
    answer,
    marks,
    mask: afmMask(output, answer.ids, { start, end }, tag),
    faults: forkFaults(output, marks, tag),
  };
}

/**
 * Lists the fork's faults; empty if it keeps the row and masks exactly the observations, each with its blank line.
 *
 * @param text text of the row, since the fork counts tags in it and tokenises it in NFC
 * @param marks matches of its token patterns, in code units of the text
 */
function forkFaults(text: string, marks: readonly MaskMark[], tag: string): ForkFault[] {
  const problem = afmTagProblem(text, tag);
  const { observations, unpaired } = writtenObservations(text, tag, problem === undefined);
  const ofTags = [...wrongCaseTags(text, tag, observations), ...layoutFaults(text, tag, observations, marks)];
  const found = problem
    ? [...ofTags, dropFault(problem, text, tag, unpaired ?? ofTags.find(isWrongCase)?.offset ?? 0)]
    : [...ofTags, ...maskFaults(text, tag, observations, marks)];
  const [drops, others] = [found.filter(isDrop), found.filter((each) => !isDrop(each))];
  const inOrder = (a: ForkFault, b: ForkFault) => a.offset - b.offset;
  return [...firstOfEachRule(others.sort(inOrder)), ...drops].sort(inOrder);
}

/** True if the fork drops the row because of a fault. */
export function isDrop({ cause }: ForkFault): boolean {
  return cause === 'count_mismatch' || cause === 'wrong_nesting' || cause === 'unclosed';
}

function isWrongCase({ cause }: ForkFault): boolean {
  return cause === 'wrong_case';
}

function dropFault(
  cause: 'count_mismatch' | 'wrong_nesting',
  text: string,
  tag: string,
  offset: number,
): ForkFault {
  const count = (name: string) => `${text.split(name).length - 1} ${name}`;
  const what =
    cause === 'wrong_nesting'
      ? `</${tag}> comes before its <${tag}>`
      : `${count(`<${tag}>`)} and ${count(`</${tag}>`)}`;
  return forkFault(cause, offset, `${what}: AFM's fork drops the row`);
}

function forkFault(cause: ForkCause, offset: number, message: string): ForkFault {
  return { rule: 'afm_fork', cause, offset, message };
}

function* maskFaults(
  text: string,
  tag: string,
  observations: readonly WrittenObservation[],
  marks: readonly MaskMark[],
): Generator<ForkFault> {
  const { masked, unclosed } = scanMaskMarks(marks);
  const own = observations.map(({ open, end }) => ({
    from: open,
    to: end + /^\n{0,2}/.exec(text.slice(end, end + 2))![0].length,
  }));
  const modelText = rangesOutside(own, text.length);
  for (const { from } of overlaps(
    marks.filter(({ kind }) => kind === 'start'),
    modelText,
  ))
    yield forkFault('stray_start', from, `<${tag} in other text: AFM's fork opens a mask here`);
  for (const { from, to } of overlaps(masked, modelText))
    yield forkFault(
      'masks_model_text',
      from,
      `AFM's fork masks ${to - from} characters that are no observation`,
    );
  if (unclosed)
    yield forkFault(
      'unclosed',
      unclosed.from,
      "the mask that begins here never ends: AFM's fork drops the row",
    );
}

/** Intersects two sorted lists of disjoint ranges. */
function overlaps(left: readonly MaskRange[], right: readonly MaskRange[]): MaskRange[] {
  const common: MaskRange[] = [];
  let first = 0;
  for (const range of left) {
    while (first < right.length && right[first]!.to <= range.from) first += 1;
    for (let at = first; at < right.length && right[at]!.from < range.to; at += 1)
      common.push({ from: Math.max(range.from, right[at]!.from), to: Math.min(range.to, right[at]!.to) });
  }
  return common;
}

/** Marks that the fork misses at observation tags, or finds inside of observations. */
function* layoutFaults(
  text: string,
  tag: string,
  observations: readonly WrittenObservation[],
  marks: readonly MaskMark[],
): Generator<ForkFault> {
  const startsAt = new Set(marks.filter(({ kind }) => kind === 'start').map(({ from }) => from));
  const ends = marks.filter(({ kind }) => kind === 'end').map(({ from }) => from);
  const endsAt = new Set(ends);
  let next = 0;
  for (const { open, close } of observations) {
    if (text.startsWith(`<${tag}>`, open) && !startsAt.has(open)) {
      const before = JSON.stringify([...text.slice(Math.max(0, open - 2), open)].at(-1) ?? '');
      const message = `${before} right before <${tag}> changes its tokens: AFM's fork trains on this observation; put exactly one line feed between`;
      yield forkFault('start_missed', open, message);
    }
    const body = open + `<${tag}>`.length;
    while (next < ends.length && ends[next]! < body) next += 1;
    for (; next < ends.length && ends[next]! < close; next += 1) {
      const message = `${tag}> and a blank line inside an observation: AFM's fork ends the mask here and trains on the rest; escape it`;
      yield forkFault('quoted_end', ends[next]!, message);
    }
    if (!text.startsWith(`</${tag}>`, close) || endsAt.has(close + '</'.length)) continue;
    const found = whatFollows(text, close + `</${tag}>`.length);
    const message = `</${tag}> is followed by ${found} where two line feeds belong: AFM's fork does not see this end`;
    yield forkFault('end_missed', close, message);
  }
}

/** Describes the spacing after an end tag. */
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

/** Observation as intended by its writer: positions of its start tag, its end tag, and its end. */
interface WrittenObservation {
  readonly open: number;
  readonly close: number;
  readonly end: number;
}

/** Pairs start and end tags, ignoring case unless `exact`; a nested pair is text of the outer one. */
function writtenObservations(text: string, tag: string, exact: boolean) {
  const observations: WrittenObservation[] = [];
  const open: number[] = [];
  let stray: number | undefined;
  for (const { 0: found, index } of text.matchAll(tagsOf(tag, exact ? 'g' : 'gi'))) {
    if (!found.startsWith('</')) open.push(index);
    else if (open.length === 0) stray ??= index;
    else {
      const start = open.pop()!;
      if (open.length === 0) observations.push({ open: start, close: index, end: index + found.length });
    }
  }
  return { observations, unpaired: stray ?? open[0] };
}

/** Tags in another case than written above, outside of observations or at their end. */
function* wrongCaseTags(
  text: string,
  tag: string,
  observations: readonly WrittenObservation[],
): Generator<ForkFault> {
  let next = 0;
  for (const { 0: found, index } of text.matchAll(tagsOf(tag, 'gi'))) {
    while (next < observations.length && observations[next]!.end <= index) next += 1;
    const isInside = next < observations.length && observations[next]!.open < index;
    const right = found.startsWith('</') ? `</${tag}>` : `<${tag}>`;
    if (found === right || (isInside && observations[next]!.close !== index)) continue;
    yield forkFault('wrong_case', index, `${found} is not ${right}: AFM's fork does not see it`);
  }
}

function tagsOf(tag: string, flags: string): RegExp {
  return new RegExp(`</?${tag}>`, flags);
}
