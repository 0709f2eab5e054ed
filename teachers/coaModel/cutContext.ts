import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';

/** Text to cut, its maximum tokens, and the tags kept first. */
interface Cut {
  readonly text: string;
  readonly room: number;
  /** Tags whose blocks are kept first. */
  readonly keptTags: readonly string[];
  readonly textWithin: TrajectoryPrompt['textWithin'];
}

/** Anything in angle brackets counts as a tag, as in AFM's driver. */
const tagPattern = /(<[^>]+>)/;

/** A tag, or the text between two. */
interface Piece {
  readonly text: string;
  readonly isTag: boolean;
  readonly isKept: boolean;
  readonly tokens: number;
}

/**
 * Cuts a trajectory like AFM's driver (`AFM/evaluation/web_agent/utils.py`, lines 132 to 251): kept blocks first,
 * without the text between them, then as much of the end as fits, the first text partially. If not even the kept
 * blocks fit, the last pieces of those; if nothing fits, the first tag.
 */
export async function cutText({ text, room, keptTags, textWithin }: Cut): Promise<string> {
  const pieces = await piecesOf(text, keptTags, textWithin);
  const kept = pieces.filter(({ isKept }) => isKept);
  const left = room - kept.reduce((sum, { tokens }) => sum + tokens, 0);
  if (left < 0) return (await lastPieces(kept, room, undefined)) || (pieces[0]?.text ?? '');
  const others = pieces.filter(({ isKept }) => !isKept);
  return kept.map((piece) => piece.text).join('') + (await lastPieces(others, left, textWithin));
}

async function piecesOf(
  text: string,
  keptTags: readonly string[],
  textWithin: Cut['textWithin'],
): Promise<Piece[]> {
  const texts = text.split(tagPattern).filter((piece) => piece !== '');
  const kept = keptPlaces(texts, keptTags);
  return Promise.all(
    texts.map(async (piece, at) => ({
      text: piece,
      isTag: tagPattern.test(piece),
      isKept: kept.has(at),
      tokens: (await textWithin(piece, Number.POSITIVE_INFINITY)).tokens,
    })),
  );
}

/** Indices of all pieces in blocks with these tags; an unclosed start tag begins none. */
function keptPlaces(pieces: readonly string[], tags: readonly string[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (const tag of tags) {
    const open: number[] = [];
    for (const [at, piece] of pieces.entries()) {
      if (piece === `<${tag}>`) open.push(at);
      const start = piece === `</${tag}>` ? open.pop() : undefined;
      for (let place = start ?? at + 1; place <= at; place++) places.add(place);
    }
  }
  return places;
}

/** Last pieces that fit; the one before them is cut at its end if possible. */
async function lastPieces(
  pieces: readonly Piece[],
  room: number,
  textWithin: Cut['textWithin'] | undefined,
): Promise<string> {
  const shown: string[] = [];
  let left = room;
  for (const { text, isTag, tokens } of pieces.toReversed()) {
    if (left <= 0) break;
    const fits = tokens <= left;
    if (!fits && (isTag || !textWithin)) continue;
    shown.unshift(fits ? text : (await textWithin!(text, left)).text);
    left -= Math.min(tokens, left);
  }
  return shown.join('');
}
