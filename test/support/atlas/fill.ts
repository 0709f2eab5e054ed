/** A run of text; with `page` it names another entity, with `work` it is the title of a ship or a book. */
export interface Piece {
  readonly text: string;
  readonly page?: string;
  readonly work?: boolean;
}

/** A template's text and slots as pieces; `a` becomes `an` before a slot that asks for it. */
export function fill(template: string, slot: (name: string) => Piece): Piece[] {
  // Splitting by a group keeps the slots, at the odd places.
  const parts = template.split(/\{(\w+)\}/);
  const pieces = parts.map((part, at) => (at % 2 === 0 ? { text: part } : slot(part)));
  return pieces
    .map((piece, at) => (at % 2 === 0 ? withArticle(piece, pieces[at + 1]) : piece))
    .filter((piece) => piece.text !== '');
}

/** The words of pieces, without links. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('');
}

function withArticle(piece: Piece, next: Piece | undefined): Piece {
  const vowel = next !== undefined && /^[aeiou]/.test(next.text);
  return vowel && / a $/.test(piece.text) ? { text: piece.text.replace(/ a $/, ' an ') } : piece;
}
