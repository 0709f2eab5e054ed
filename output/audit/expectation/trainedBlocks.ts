import type { ParsedBlock } from '../../../schemas/coa/parse.ts';
import type { MaskConfig } from '../../../schemas/config/dataset.ts';

/** What the mask options ask about a block. */
interface MaskedBlock {
  readonly tag: string;
  readonly origin: 'model' | 'environment';
  /** Whether the tag is one of thinking. */
  readonly thinks: boolean;
  /** Whether a judge's verdict marks it. */
  readonly marked: boolean;
  /** Whether reviewers mark it. */
  readonly reviewed: boolean;
}

/** Which blocks of an answer a mask trains. The environment's never are. */
export function trainedBlocks(blocks: readonly MaskedBlock[], mask: MaskConfig): boolean[] {
  const step = stepNumbers(blocks);
  const steps = (step.at(-1) ?? 0) + 1;
  return blocks.map((block, at) => {
    if (block.origin === 'environment') return false;
    if (block.thinks && !mask.thinking) return false;
    if (block.reviewed) return false;
    if (block.marked && mask.marked === 'skip') return false;
    if (mask.last_steps !== null && step[at]! < steps - mask.last_steps) return false;
    return !(Object.hasOwn(mask.tag_weights, block.tag) && mask.tag_weights[block.tag] === 0);
  });
}

/** A step ends with an observation, the last one with the row. */
function stepNumbers(blocks: readonly MaskedBlock[]): number[] {
  let step = 0;
  return blocks.map((block, at) => {
    if (at > 0 && block.origin === 'model' && blocks[at - 1]!.origin === 'environment') step += 1;
    return step;
  });
}

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
  const ends = endsByName(marks);
  const found: LooseBlock[] = [];
  let at = 0;
  let next = 0;
  let inFence = false;
  for (const { text, isEnd, name, from, to } of marks) {
    if (from < at) continue;
    if (name === undefined) inFence = !inFence;
    while (next < known.length && known[next]!.start < from) next += 1;
    if (inFence || isEnd || name === undefined) continue;
    const end = ends.get(name.toLowerCase())?.after(to);
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

/** Where each name's end tags end, asked for in rising order. */
class Ends {
  readonly #marks: Mark[] = [];
  #next = 0;

  add(each: Mark): void {
    this.#marks.push(each);
  }

  /** The end of the first one that begins at a place or behind it. */
  after(place: number): number | undefined {
    while (this.#next < this.#marks.length && this.#marks[this.#next]!.from < place) this.#next += 1;
    return this.#marks[this.#next]?.to;
  }
}

function endsByName(marks: readonly Mark[]): Map<string, Ends> {
  const ends = new Map<string, Ends>();
  for (const each of marks) {
    if (!each.isEnd || each.name === undefined) continue;
    const name = each.name.toLowerCase();
    const known = ends.get(name) ?? new Ends();
    known.add(each);
    ends.set(name, known);
  }
  return ends;
}
