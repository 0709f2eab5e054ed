import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';

/** What is cut, to how many tokens, and what comes first. */
interface Cut {
  readonly text: string;
  readonly room: number;
  /** Tags whose blocks are kept before all else. */
  readonly keptTags: readonly string[];
  readonly textWithin: TrajectoryPrompt['textWithin'];
}

/** Anything in angle brackets counts as a tag, as in AFM's driver. */
const tagPattern = /(<[^>]+>)/;

/** A tag, or a text between two. */
interface Piece {
  readonly text: string;
  readonly isTag: boolean;
  readonly isKept: boolean;
  readonly tokens: number;
}

/**
 * A trajectory's text as AFM's driver shows it (`AFM/evaluation/web_agent/utils.py`, lines 132 to 251): the kept blocks
 * in front, without what stands between them, then as much of the end as has room, a text that has only some with its
 * beginning. Where not even the kept blocks have room, the last pieces of those; where nothing has, the first tag.
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

/** The places of all pieces of blocks with these tags; a start tag without its end begins none. */
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

/** As many of the last pieces as have room; the one before them with its beginning, where it can be cut. */
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
