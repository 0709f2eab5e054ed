/** A place in a text, from 1; columns count UTF-16 code units. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** The places of offsets that are in order, in one pass over the text. */
export function lineColumns(text: string, offsets: readonly number[]): LineColumn[] {
  let line = 1;
  let lineStart = 0;
  let feed = text.indexOf('\n');
  return offsets.map((offset) => {
    while (feed >= 0 && feed < offset) {
      line += 1;
      lineStart = feed + 1;
      feed = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  });
}
