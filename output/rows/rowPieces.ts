import type { Origin, Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { RenderedChat } from '../chatTemplates/chatTemplate.ts';
import type { AddedTokens } from './addedTokens.ts';

/** Parts of a segment's text as the serialiser wrote them, and the body between them. */
interface SegmentParts {
  readonly start: string;
  readonly body: string;
  readonly end: string;
  readonly feeds: string;
}

/**
 * Splits a segment's text. Only a tag at the very beginning, and one followed only by line feeds, is structure; similar
 * text inside the body is text.
 */
export function segmentParts({ tag, text }: Pick<Segment, 'tag' | 'text'>): SegmentParts {
  const start = text.startsWith(`<${tag}>`) ? `<${tag}>` : '';
  let last = text.length;
  while (last > start.length && text[last - 1] === '\n') last--;
  const inner = text.slice(start.length, last);
  const end = inner.endsWith(`</${tag}>`) ? `</${tag}>` : '';
  return { start, body: inner.slice(0, inner.length - end.length), end, feeds: text.slice(last) };
}

/** Stretch of a row with one author: ordinary text, or one control token. */
export interface Piece {
  readonly kind: 'text' | 'control';
  readonly text: string;
  readonly origin: Origin;
  /** Loss weight of its tokens; 0 if untrained, as is all text that is not the model's. */
  readonly weight: number;
}

/** Texts of a row, in which only the chat template and the serialiser wrote added tokens. */
interface RowTexts extends RenderedChat {
  readonly segments: Trajectory['segments'];
}

/**
 * Splits a row into pieces, from which every format of the dataset is derived: the row's text is their texts joined,
 * its ids are their ids joined, its mask is their weights. An added token of the chat template, or of the segment's own
 * tags, is a control piece, since trainers that tokenise the text also make one id of it. The end of the assistant's
 * turn is trained, since the model must learn to stop; it is empty in a row that was cut off.
 *
 * @param weights - Loss weight of each segment.
 */
export function rowPieces(
  { prompt, segments, endOfTurn }: RowTexts,
  weights: readonly number[],
  added: AddedTokens,
): Piece[] {
  return [
    ...templatePieces({ text: prompt, origin: 'prompt', weight: 0 }, added),
    ...segments.flatMap((segment, at) => segmentPieces(segment, weights[at]!, added)),
    ...templatePieces({ text: endOfTurn, origin: 'model', weight: 1 }, added),
  ];
}

type Stretch = Omit<Piece, 'kind'>;

export function templatePieces(stretch: Stretch, added: AddedTokens): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { token, start } of added.find(stretch.text)) {
    pieces.push({ ...stretch, kind: 'text', text: stretch.text.slice(from, start) });
    pieces.push({ ...stretch, kind: 'control', text: token });
    from = start + token.length;
  }
  pieces.push({ ...stretch, kind: 'text', text: stretch.text.slice(from) });
  return pieces.filter(({ text }) => text !== '');
}

/** Splits a segment at its own tags if these are added tokens; most segments are one piece. */
function segmentPieces(segment: Segment, weight: number, added: AddedTokens): Piece[] {
  const { origin, text } = segment;
  const { start, body, end, feeds } = segmentParts(segment);
  const [starts, ends] = [added.has(start), added.has(end)];
  if (!starts && !ends) return [{ kind: 'text', text, origin, weight }];
  const middle = (starts ? '' : start) + body + (ends ? '' : end + feeds);
  const pieces: Piece[] = [
    { kind: starts ? 'control' : 'text', text: starts ? start : '', origin, weight },
    { kind: 'text', text: middle, origin, weight },
    { kind: ends ? 'control' : 'text', text: ends ? end : '', origin, weight },
    { kind: 'text', text: ends ? feeds : '', origin, weight },
  ];
  return pieces.filter((piece) => piece.text !== '');
}
