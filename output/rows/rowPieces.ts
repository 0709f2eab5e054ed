import type { Origin, Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { RenderedChat } from '../chatTemplates/chatTemplate.ts';
import type { AddedTokens } from './addedTokens.ts';

/** A segment's text in the parts that the serialiser wrote, and the body between them. */
interface SegmentParts {
  /** The tag that begins it; empty when another text does. */
  readonly start: string;
  readonly body: string;
  /** The tag that ends it; empty when another text does. */
  readonly end: string;
  /** Line feeds after it. */
  readonly feeds: string;
}

/**
 * Parts a segment's text. Only a tag at its very beginning, and one that nothing but line feeds follow, is structure;
 * what looks like one inside the body is text.
 */
export function segmentParts({ tag, text }: Pick<Segment, 'tag' | 'text'>): SegmentParts {
  const start = text.startsWith(`<${tag}>`) ? `<${tag}>` : '';
  let last = text.length;
  while (last > start.length && text[last - 1] === '\n') last--;
  const inner = text.slice(start.length, last);
  const end = inner.endsWith(`</${tag}>`) ? `</${tag}>` : '';
  return { start, body: inner.slice(0, inner.length - end.length), end, feeds: text.slice(last) };
}

/** A stretch of a row that one party wrote: ordinary text, or one control token. */
export interface Piece {
  readonly kind: 'text' | 'control';
  readonly text: string;
  readonly origin: Origin;
  /** Loss weight of its tokens: 0 where it is not trained, which all that is not the model's is. */
  readonly weight: number;
}

/** The texts of a row, in which nothing but the chat template and the serialiser wrote added tokens. */
interface RowTexts extends RenderedChat {
  readonly segments: Trajectory['segments'];
}

/**
 * A row's pieces, in order. Every format of the dataset is derived from this list: the row's text is its texts
 * joined, its ids are theirs joined, its mask is their weights. An added token of the chat template, or of the
 * segment's own tags, is a control piece: trainers that tokenise the text make one id of it too. The end of the
 * assistant's turn is the model's: it must learn to stop. It is empty in a row whose end was cut off.
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

/** Cuts what the chat template wrote at its control tokens. */
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

/** Cuts a segment at its own tags, where they are added tokens; most segments are one piece. */
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
