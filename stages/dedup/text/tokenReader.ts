/** Cuts texts into tokens, of which it gives hashes. */
export interface TokenReader {
  /** The hashes of the last text's tokens, in order; the reader's own, until the next text. */
  readonly tokens: Int32Array;
  /** Reads a text and gives the number of its tokens. */
  read(text: string): number;
}
