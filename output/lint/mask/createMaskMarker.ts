import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { type AfmMaskPatterns, findMaskMarks, type MaskMark } from '../../../schemas/trainers/afmMask.ts';
import { nfcText } from './nfcOffsets.ts';

/** Finds where the token patterns of AFM's fork match in a text. */
export interface MaskMarker {
  /** Marks in UTF-16 code units of the text as it stands, in order; the trainer's tokenizer reads it in NFC. */
  marksIn(text: string): Promise<MaskMark[]>;
}

/** What the marker needs of a tokenizer. */
type MarkingTokenizer = Pick<Tokenizer, 'encode' | 'decode' | 'addedTokens'>;

const word = 'observation';

/** Windows repeat from row to row; these many are remembered, none longer than this. */
const rememberedWindows = 10_000;
const longestRemembered = 100;

/**
 * A marker for a tokenizer with Qwen's pre-tokenizer. It encodes only the few characters around each `observation`
 * (see {@link tokenWindows}), which gives the same marks as encoding the whole text.
 */
export async function createMaskMarker(tokenizer: MarkingTokenizer): Promise<MaskMarker> {
  const patterns: AfmMaskPatterns = {
    start: [...(await tokenizer.encode(`<${word}`))],
    end: [...(await tokenizer.encode(`${word}>\n\n`))],
  };
  return new WindowMarker(tokenizer, patterns);
}

class WindowMarker implements MaskMarker {
  readonly #tokenizer: MarkingTokenizer;
  readonly #patterns: AfmMaskPatterns;
  readonly #addedToken: RegExp;
  readonly #remembered = new Map<string, readonly MaskMark[]>();

  constructor(tokenizer: MarkingTokenizer, patterns: AfmMaskPatterns) {
    this.#tokenizer = tokenizer;
    this.#patterns = patterns;
    const names = tokenizer.addedTokens.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    this.#addedToken = new RegExp(names.length > 0 ? names.join('|') : '(?!)', 'g');
  }

  async marksIn(text: string): Promise<MaskMark[]> {
    const marks: MaskMark[] = [];
    const { text: normal, toOriginal } = nfcText(text.toWellFormed());
    for (const stretch of this.#betweenAddedTokens(normal)) {
      for (const window of tokenWindows(stretch.text, word)) {
        const offset = stretch.from + window.from;
        for (const { kind, from, to } of await this.#marksInWindow(window.text)) {
          marks.push({ kind, from: toOriginal(offset + from), to: toOriginal(offset + to) });
        }
      }
    }
    return marks;
  }

  /** Trainers turn added tokens into ids before anything else, so no piece reaches across one. */
  *#betweenAddedTokens(text: string): Generator<{ readonly from: number; readonly text: string }> {
    let from = 0;
    for (const match of text.matchAll(this.#addedToken)) {
      yield { from, text: text.slice(from, match.index) };
      from = match.index + match[0].length;
    }
    yield { from, text: text.slice(from) };
  }

  async #marksInWindow(window: string): Promise<readonly MaskMark[]> {
    const known = this.#remembered.get(window);
    if (known) return known;
    const ids = await this.#tokenizer.encode(window);
    const marks = await this.#inText(ids, findMaskMarks(ids, this.#patterns));
    if (this.#remembered.size >= rememberedWindows) this.#remembered.clear();
    if (window.length <= longestRemembered) this.#remembered.set(window, marks);
    return marks;
  }

  /** Marks over ids as marks over the text: one pass, since a window can hold many. */
  async #inText(ids: Uint32Array, marks: readonly MaskMark[]): Promise<MaskMark[]> {
    const borders = [...new Set(marks.flatMap((mark) => [mark.from, mark.to]))].sort((a, b) => a - b);
    const offsets = new Map<number, number>();
    let from = 0;
    let length = 0;
    for (const border of borders) {
      length += (await this.#tokenizer.decode(ids.subarray(from, border))).length;
      offsets.set(border, length);
      from = border;
    }
    return marks.map(({ kind, from, to }) => ({ kind, from: offsets.get(from)!, to: offsets.get(to)! }));
  }
}

/** A stretch of text that a tokenizer reads the same alone and in its place. */
interface TokenWindow {
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
function* tokenWindows(text: string, word: string): Generator<TokenWindow> {
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
