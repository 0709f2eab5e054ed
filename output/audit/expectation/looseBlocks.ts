import type { ParsedBlock } from '../../../schemas/coa/parse.ts';

/** A pair of tags that no profile has; places are UTF-16 code units of the answer. */
export interface LooseBlock {
  /** As it is written. */
  readonly name: string;
  /** Its start tag. */
  readonly start: string;
  readonly from: number;
  readonly to: number;
}

const mark = /<\s{0,8}(\/?)\s{0,8}([A-Za-z][\w-]{0,63})(?:\s[^<>\n]{0,200})?>|^```/gm;

interface Mark {
  readonly text: string;
  readonly isEnd: boolean;
  /** Undefined for a fence of code. */
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** Pairs of any tags outside the known blocks and outside fenced code, in order, each from its start to the next end. */
export function looseBlocks(answer: string, known: readonly ParsedBlock[]): LooseBlock[] {
  const marks = marksOutside(answer, known);
  const isNamedEnd = ({ isEnd, name }: Mark) => isEnd && name !== undefined;
  const ends = Map.groupBy(marks.filter(isNamedEnd).reverse(), ({ name }) => name!.toLowerCase());
  /** Asked for in rising order. */
  const endAfter = (name: string, place: number): number | undefined => {
    const those = ends.get(name.toLowerCase()) ?? [];
    while (those.length > 0 && those.at(-1)!.from < place) those.pop();
    return those.at(-1)?.to;
  };
  const found: LooseBlock[] = [];
  let at = 0;
  let next = 0;
  let inFence = false;
  for (const { text, isEnd, name, from, to } of marks) {
    if (from < at) continue;
    if (name === undefined) inFence = !inFence;
    while (next < known.length && known[next]!.start < from) next += 1;
    if (inFence || isEnd || name === undefined) continue;
    const end = endAfter(name, to);
    // A pair around known blocks only wraps them.
    if (end === undefined || (next < known.length && known[next]!.start < end)) continue;
    found.push({ name, start: text, from, to: end });
    at = end;
  }
  return found;
}

function marksOutside(answer: string, known: readonly ParsedBlock[]): Mark[] {
  const marks: Mark[] = [];
  let next = 0;
  for (const { 0: text, 1: slash, 2: name, index: from } of answer.matchAll(mark)) {
    while (next < known.length && known[next]!.end <= from) next += 1;
    if (next < known.length && known[next]!.start <= from) continue;
    marks.push({ text, isEnd: slash === '/', name, from, to: from + text.length });
  }
  return marks;
}
