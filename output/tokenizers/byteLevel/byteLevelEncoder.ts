import { grown } from '../../../base/growingColumn.ts';
import type { EncodedTexts } from '../../../contract/tokenizer.ts';
import type { ByteLevelVocabulary } from './byteLevelVocabulary.ts';
import { mergeTokens } from './mergeTokens.ts';
import { hashUnits, longestKeptPiece, PieceCache } from './pieceCache.ts';
import { PieceCutter } from './pieceCutter.ts';
import { decodeTokens, idsByBytes } from './tokenBytes.ts';
import { characterClasses } from './unicodeRanges.ts';

/** Maximum bytes, and thus tokens, per UTF-16 unit. */
const bytesPerUnit = 3;
/** Maximum size of kept buffers; a larger one is released after use. */
const keptUnits = 2 ** 20;

/** Encodes text with a byte-level BPE vocabulary: known pieces from a cache, others by merging their bytes. */
export class ByteLevelEncoder {
  readonly #vocabulary: ByteLevelVocabulary;
  readonly #cutter: PieceCutter;
  /** Ids of pieces that are single tokens, by their bytes as Latin-1. */
  readonly #wholePieces: ReadonlyMap<string, number> | undefined;
  readonly #cache = new PieceCache();
  #units = new Uint16Array(2 ** 16);
  #ids = new Uint32Array(2 ** 15);
  #size = 0;
  #piece = new Int32Array(longestKeptPiece * bytesPerUnit);
  #bytes = Buffer.alloc(longestKeptPiece * bytesPerUnit);

  constructor(vocabulary: ByteLevelVocabulary) {
    this.#vocabulary = vocabulary;
    this.#cutter = new PieceCutter(characterClasses(), vocabulary.digitsPerPiece);
    this.#wholePieces = vocabulary.ignoresMerges ? idsByBytes(vocabulary.tokens) : undefined;
  }

  encode(text: string): Uint32Array {
    return this.encodeSideBySide([text])!.ids;
  }

  /** As {@link decodeTokens}. */
  decode(ids: Uint32Array): string {
    return decodeTokens(this.#vocabulary.tokens, ids);
  }

  /**
   * Encodes each text separately; undefined if the joined text would be split into other pieces, so that a token may
   * span a border. Texts must be well-formed. Never undefined for a single text.
   */
  encodeSideBySide(texts: readonly string[]): EncodedTexts | undefined {
    const length = this.#readUnits(texts);
    const ends = new Uint32Array(texts.length);
    this.#size = 0;
    let from = 0;
    let seamless = true;
    for (let index = 0; index < texts.length && seamless; index++) {
      const end = from + texts[index]!.length;
      seamless = this.#encodeText(from, end, length);
      ends[index] = this.#size;
      from = end;
    }
    const ids = this.#ids.slice(0, this.#size);
    if (this.#units.length > keptUnits) this.#shrink();
    return seamless ? { ids, ends } : undefined;
  }

  #readUnits(texts: readonly string[]): number {
    const text = texts.length === 1 ? texts[0]! : texts.join('');
    this.#units = grown(this.#units, text.length);
    Buffer.from(this.#units.buffer).write(text, 'utf16le');
    return text.length;
  }

  /** Appends the ids of one text; false if the text up to `length` would change its last pieces. */
  #encodeText(from: number, end: number, length: number): boolean {
    const units = this.#units;
    const cutter = this.#cutter;
    let at = from;
    let last = from;
    while (at < end) {
      last = at;
      at = cutter.next(units, at, end);
      this.#appendPiece(units, last, at - last);
    }
    // Only the last piece can depend on later text. Earlier pieces ended inside the text, or in a run of white space
    // that reaches its end, and then the last piece of the same run changes too.
    return end === length || end === from || cutter.next(units, last, length) === end;
  }

  #appendPiece(units: Uint16Array, from: number, length: number): void {
    if (this.#size + length * bytesPerUnit > this.#ids.length)
      this.#ids = grown(this.#ids, this.#size + length * bytesPerUnit);
    if (length > longestKeptPiece) {
      this.#appendMerged(this.#merge(units, from, length));
      return;
    }
    const hash = hashUnits(units, from, from + length);
    const known = this.#cache.copyIds(units, from, length, hash, this.#ids, this.#size);
    if (known > 0) {
      this.#size += known;
      return;
    }
    const count = this.#merge(units, from, length);
    this.#cache.add(units, from, length, hash, this.#piece, count);
    this.#appendMerged(count);
  }

  /** Writes the piece's tokens into `#piece`; returns their number. */
  #merge(units: Uint16Array, from: number, length: number): number {
    const { idOfByte, merges } = this.#vocabulary;
    if (length * bytesPerUnit > this.#piece.length) {
      this.#piece = new Int32Array(length * bytesPerUnit);
      this.#bytes = Buffer.alloc(length * bytesPerUnit);
    }
    const text = Buffer.from(units.buffer, from * 2, length * 2).toString('utf16le');
    const bytes = this.#bytes.write(text);
    const whole = this.#wholePieces?.get(this.#bytes.toString('latin1', 0, bytes));
    if (whole !== undefined) {
      this.#piece[0] = whole;
      return 1;
    }
    for (let at = 0; at < bytes; at++) this.#piece[at] = idOfByte[this.#bytes[at]!]!;
    return mergeTokens(this.#piece, bytes, merges);
  }

  #appendMerged(count: number): void {
    for (let at = 0; at < count; at++) this.#ids[this.#size++] = this.#piece[at]!;
  }

  #shrink(): void {
    this.#units = new Uint16Array(2 ** 16);
    this.#ids = new Uint32Array(2 ** 15);
    this.#piece = new Int32Array(longestKeptPiece * bytesPerUnit);
    this.#bytes = Buffer.alloc(longestKeptPiece * bytesPerUnit);
  }
}
