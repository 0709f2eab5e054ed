/** A stretch of text that a tokenizer reads the same alone and in its place. */
export interface TokenWindow {
  /** UTF-16 code units from the text's start. */
  readonly from: number;
  readonly text: string;
}

/**
 * A longer word or run of symbols is cut here: merges of a byte-level BPE don't reach this far, and some encoders
 * need quadratic time for one long word.
 */
const longestRun = 1_000;

const letter = '\\p{L}';
const symbol = '[^\\p{White_Space}\\p{L}\\p{N}]';
const before = new RegExp(
  `(?<=((?:(?![\\r\\n])\\p{White_Space})?${symbol}{0,${longestRun}}${letter}{0,${longestRun}}))`,
  'uy',
);
const after = new RegExp(
  `${letter}{0,${longestRun}}(?:(?!${symbol}${letter})${symbol}{1,${longestRun}}[\\r\\n]{0,${longestRun}})?`,
  'uy',
);

/**
 * The windows around each occurrence of a word, from piece border to piece border of Qwen's pre-tokenizer: a piece is
 * a run of letters with at most one symbol in front, a run of symbols with at most one space in front and the line
 * feeds after it, or one digit. A border always lies after the last letter of a word and around each digit, and no
 * piece that begins after white space reaches back over more than its last character. Linear in the text's length.
 */
export function* tokenWindows(text: string, word: string): Generator<TokenWindow> {
  let from = 0;
  let to = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, to)) {
    const start = at - matchAt(before, text, at, 1).length;
    // Words that share a run of symbols share a window.
    if (start >= to) {
      if (to > 0) yield { from, text: text.slice(from, to) };
      from = start;
    }
    to = at + word.length + matchAt(after, text, at + word.length, 0).length;
  }
  if (to > 0) yield { from, text: text.slice(from, to) };
}

function matchAt(pattern: RegExp, text: string, at: number, group: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[group] ?? '';
}
