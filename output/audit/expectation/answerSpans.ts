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
  const unclosed = issues.find((issue) => issue.code === 'missing_end_tag');
  const open = unclosed && /^<([\w-]+)>/.exec(answer.slice(unclosed.offset))?.[1];
  const unclear = isClear || open ? [] : unclearStretches(profile, answer, blocks, at);
  const spans: Span[] = [];
  const left = unclear.toReversed();
  let cursor = 0;
  const add = (to: number, span: Pick<Span, 'party' | 'tag'> & Partial<Span>): void => {
    if (to > cursor) spans.push({ block: null, body: null, ...span, from: at + cursor, to: at + to });
    cursor = Math.max(cursor, to);
  };
  const words = (to: number): void =>
    add(to, { party: answer.slice(cursor, to).trim() === '' ? 'either' : 'model', tag: 'model' });
  const gap = (to: number): void => {
    while (left.length > 0 && left.at(-1)!.from < at + to) {
      const { from, to: end, tag } = left.pop()!;
      // Those that begin before are blocks, or follow one right away.
      if (from < at + cursor) continue;
      words(from - at);
      add(end - at, { party: 'unclear', tag });
    }
    words(to);
  };
  for (const [block, { tag, origin, start, end }] of blocks.entries()) {
    gap(start);
    const feeds = /^\n{0,2}/.exec(answer.slice(end, end + (origin === 'environment' ? 2 : 1)))![0].length;
    const body = { from: at + start + tag.length + 2, to: at + end - tag.length - 3 };
    add(end + feeds, { party: origin, tag, block, body });
  }
  if (unclosed && open) {
    gap(unclosed.offset);
    const party = open === tagOfKind(profile, 'observation') ? 'environment' : 'model';
    const body = { from: at + unclosed.offset + open.length + 2, to: at + answer.length };
    add(answer.length, { party, tag: open, block: blocks.length, body });
  }
  gap(answer.length);
  return { spans, unclear, issues, open };
}
