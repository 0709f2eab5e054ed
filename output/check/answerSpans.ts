import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../schemas/coa/parseIssue.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { ChatTurn } from './chatTurns.ts';
import { type UnclearStretch, unclearStretches } from './unclearStretches.ts';

/** `either`: white space that may be in the loss or not; `unclear`: text that may be a tool's. */
export type Party = 'prompt' | 'model' | 'environment' | 'end_of_turn' | 'either' | 'unclear';

/** Stretch of a row's text with one author; UTF-16 code units, half-open. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly party: Party;
  /** Tag of its block; outside of blocks the party's name. */
  readonly tag: string;
  /** Number of its block in the answer, from 0; null outside of blocks. */
  readonly block: number | null;
  readonly bodyEnd: number;
}

export interface TurnAnswer {
  readonly turn: ChatTurn;
  readonly spans: readonly Span[];
  readonly unclear: readonly UnclearStretch[];
  readonly issues: readonly ParseIssue[];
  /** Tag of a block that is never closed. */
  readonly open: string | undefined;
}

/**
 * Attributes each part of an answer by its tags: observations and the two line feeds after them are the environment's;
 * the rest is the model's.
 *
 * @param isClear true if the tags of tools are known, so that nothing is unclear
 */
export function turnAnswer(profile: Profile, text: string, turn: ChatTurn, isClear: boolean): TurnAnswer {
  const at = turn.from;
  const answer = text.slice(at, turn.to);
  const { blocks, issues: found } = parseBlocks(profile, answer);
  // `<code>` in prose is HTML.
  const isProse = !isClear && blocks.length === 0;
  const issues = found.filter(
    ({ offset }) => !(isProse && /^<\/?code>/.test(answer.slice(offset, offset + 7))),
  );
  const unclosed = issues.find((issue) => issue.code === 'missing_end_tag');
  const open = unclosed && /^<([\w-]+)>/.exec(answer.slice(unclosed.offset))?.[1];
  const unclear = isClear || open ? [] : unclearStretches(profile, answer, blocks, at);
  const spans: Span[] = [];
  const left = unclear.toReversed();
  let cursor = 0;
  const add = (to: number, party: Party, tag: string, ofBlock: Partial<Span> = {}): void => {
    if (to > cursor)
      spans.push({ block: null, bodyEnd: 0, ...ofBlock, party, tag, from: at + cursor, to: at + to });
    cursor = Math.max(cursor, to);
  };
  const words = (to: number) => add(to, answer.slice(cursor, to).trim() === '' ? 'either' : 'model', 'model');
  const gap = (to: number): void => {
    while (left.length > 0 && left.at(-1)!.from < at + to) {
      const { from, to: end, tag } = left.pop()!;
      // Earlier stretches are inside blocks, or directly follow one.
      if (from < at + cursor) continue;
      words(from - at);
      add(end - at, 'unclear', tag);
    }
    words(to);
  };
  for (const [block, { tag, origin, start, end }] of blocks.entries()) {
    gap(start);
    const feeds = /^\n{0,2}/.exec(answer.slice(end, end + (origin === 'environment' ? 2 : 1)))![0].length;
    add(end + feeds, origin, tag, { block, bodyEnd: at + end - tag.length - 3 });
  }
  if (unclosed && open) {
    gap(unclosed.offset);
    const party = open === tagOfKind(profile, 'observation') ? 'environment' : 'model';
    add(answer.length, party, open, { block: blocks.length, bodyEnd: at + answer.length });
  }
  gap(answer.length);
  return { turn, spans, unclear, issues, open };
}
