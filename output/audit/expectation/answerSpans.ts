import { parseBlocks } from '../../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../../schemas/coa/parseIssue.ts';
import { type Profile, tagOfKind } from '../../../schemas/coa/profile.ts';
import { type UnclearStretch, unclearStretches } from './unclearStretches.ts';

/**
 * Whose words a stretch of a row is; `either` is white space that nobody's mask can be blamed for, `unclear` words that
 * may be a tool's.
 */
export type Party = 'prompt' | 'model' | 'environment' | 'end_of_turn' | 'either' | 'unclear';

/** A stretch of a row's text that one party wrote, UTF-16 code units, half-open. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly party: Party;
  /** The block it belongs to; the party's name outside of blocks. */
  readonly tag: string;
  /** Which of the answer's blocks it is, from 0; null outside of blocks. */
  readonly block: number | null;
  /** Where the block's body lies; null outside of blocks. */
  readonly body: { readonly from: number; readonly to: number } | null;
}

/** An answer as stretches that follow each other without a gap. */
export interface AnswerSpans {
  readonly spans: readonly Span[];
  /** What may be a tool's words; see {@link unclearStretches}. */
  readonly unclear: readonly UnclearStretch[];
  readonly issues: readonly ParseIssue[];
  /** Tag of the block that is never closed. */
  readonly open: string | undefined;
}

/**
 * Who wrote what in an answer, by its tags: observations are the environment's, with the two line feeds after them;
 * all else is the model's.
 *
 * @param at where the answer begins in the row's text; spans are places of the row
 * @param isClear whether it is known which tags tools have, so that nothing is unclear
 */
export function answerSpans(profile: Profile, answer: string, at: number, isClear: boolean): AnswerSpans {
  const { blocks, issues } = parseBlocks(profile, answer);
  const environment = tagOfKind(profile, 'observation');
  const unclosed = issues.find((issue) => issue.code === 'missing_end_tag');
  const openTag = unclosed && /^<([\w-]+)>/.exec(answer.slice(unclosed.offset))?.[1];
  const spans: Span[] = [];
  let cursor = 0;
  const add = (to: number, span: Pick<Span, 'party' | 'tag' | 'block' | 'body'>): void => {
    if (to > cursor) spans.push({ from: at + cursor, to: at + to, ...span });
    cursor = Math.max(cursor, to);
  };
  const gap = (to: number): void => {
    const party = answer.slice(cursor, to).trim() === '' ? 'either' : 'model';
    add(to, { party, tag: 'model', block: null, body: null });
  };
  for (const [block, { tag, origin, start, end }] of blocks.entries()) {
    gap(start);
    const feeds = /^\n{0,2}/.exec(answer.slice(end, end + (origin === 'environment' ? 2 : 1)))![0].length;
    const body = { from: at + start + tag.length + 2, to: at + end - tag.length - 3 };
    add(end + feeds, { party: origin, tag, block, body });
  }
  if (unclosed && openTag) {
    gap(unclosed.offset);
    const party = openTag === environment ? 'environment' : 'model';
    const body = { from: at + unclosed.offset + openTag.length + 2, to: at + answer.length };
    add(answer.length, { party, tag: openTag, block: blocks.length, body });
  }
  gap(answer.length);
  const unclear = isClear || openTag ? [] : unclearStretches(profile, answer, blocks, at);
  return {
    spans: carved(spans, unclear, (from, to) => answer.slice(from - at, to - at)),
    unclear,
    issues,
    open: openTag,
  };
}

/** Cuts what is unclear out of the words between blocks. Both lists are in order. */
function carved(
  spans: readonly Span[],
  unclear: readonly UnclearStretch[],
  textOf: (from: number, to: number) => string,
): Span[] {
  let next = 0;
  return spans.flatMap((span) => {
    while (next < unclear.length && unclear[next]!.from < span.from) next += 1;
    const inside: UnclearStretch[] = [];
    for (; next < unclear.length && unclear[next]!.to <= span.to; next += 1) inside.push(unclear[next]!);
    return span.block !== null || inside.length === 0 ? [span] : carvedSpan(span, inside, textOf);
  });
}

function carvedSpan(
  span: Span,
  inside: readonly UnclearStretch[],
  textOf: (from: number, to: number) => string,
): Span[] {
  const pieces: Span[] = [];
  let cursor = span.from;
  const add = (to: number, piece: Pick<Span, 'party' | 'tag'>): void => {
    if (to > cursor) pieces.push({ ...span, from: cursor, to, ...piece });
    cursor = to;
  };
  const addRest = (to: number): void => {
    const isBlank = textOf(cursor, to).trim() === '';
    add(to, { party: isBlank ? 'either' : span.party, tag: span.tag });
  };
  for (const { from, to, tag } of inside) {
    addRest(from);
    add(to, { party: 'unclear', tag });
  }
  addRest(span.to);
  return pieces;
}
