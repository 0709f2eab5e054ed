import { grown } from '../../../base/grown.ts';
import { characterTable, ignored, joining, ownWord, separator } from './characterTable.ts';
import { foldCharacters } from './foldCharacters.ts';
import { mix32 } from './mix32.ts';
import type { TokenReader } from './tokenReader.ts';

/** Stands between two words, however they were parted. */
const space = mix32(0x20);

/** Hashes the characters of a text, as `WordReader` reads them, with one space between words. */
export class CharacterReader implements TokenReader {
  readonly #table: Uint32Array = characterTable();
  tokens: Int32Array = new Int32Array(1 << 12);

  read(text: string): number {
    // A symbol can have a space of its own on each side.
    this.tokens = grown(this.tokens, 2 * text.length);
    const count = this.#scan(text, false);
    if (count >= 0) return count;
    const folded = foldCharacters(text);
    this.tokens = grown(this.tokens, 2 * folded.length);
    return this.#scan(folded, true);
  }

  /** The number of characters; -1 when the text has to be folded first. */
  #scan(text: string, isFolded: boolean): number {
    const table = this.#table;
    const { tokens } = this;
    let count = 0;
    let isApart = false;
    for (let at = 0; at < text.length; at++) {
      const entry = table[text.charCodeAt(at)]!;
      if (entry === ignored) continue;
      if (entry === separator) {
        isApart = true;
        continue;
      }
      if (entry >= joining && !isFolded) return -1;
      const point = entry >= joining ? text.codePointAt(at)! : entry & 0xffff;
      const isOwn = point >= 0x10000 || (entry & ownWord) !== 0;
      if (point >= 0x10000) at++;
      if ((isApart || isOwn) && count > 0 && tokens[count - 1] !== space) tokens[count++] = space;
      tokens[count++] = mix32(point);
      isApart = isOwn;
    }
    return count;
  }
}
