import { grown } from '../../../base/growingColumn.ts';

const slotWidth = 8;
const fewestSlots = 2 ** 12;
const maxSlots = 2 ** 18;
/** Maximum slots probed per piece, which bounds the cost of crafted collisions. */
const probes = 8;
/** Offset and inline length of the key in a slot: most words fit, so that one cache line suffices. */
const keyInSlot = 3;
const shortKey = 2 * (slotWidth - keyInSlot);
const maxKeyUnits = 2 ** 20;
const maxIds = 2 ** 21;
/** Initial capacity. */
const fewestPlaces = 2 ** 12;

/** Maximum length of cached pieces; longer ones are rare. */
export const longestKeptPiece = 128;

/**
 * Cache of the ids of pieces, in three typed arrays of at most 18 MB in all. When one is full the cache is emptied, so
 * that it follows the text of a long export. Never changes an id.
 */
export class PieceCache {
  /**
   * Each slot: hash; length of key + number of ids * 256 (0 if free); the id or the index of the first; the key's
   * units, two in a number, or the index of a longer key in `#keys`.
   */
  #slots = new Int32Array(fewestSlots * slotWidth);
  #keys = new Uint16Array(fewestPlaces);
  #ids = new Uint32Array(fewestPlaces);
  #pieces = 0;
  #keysUsed = 0;
  #idsUsed = 0;

  /** Appends the piece's ids to `target` at `at`; returns their number, 0 if the piece is unknown. */
  copyIds(
    units: Uint16Array,
    from: number,
    length: number,
    hash: number,
    target: Uint32Array,
    at: number,
  ): number {
    const table = this.#slots;
    const slotMask = table.length - 1;
    let slot = (hash << 3) & slotMask;
    for (let probe = 0; probe < probes; probe++) {
      const meta = table[slot + 1]!;
      if (meta === 0) return 0;
      if (table[slot] === hash && (meta & 0xff) === length && this.#keyIs(slot, units, from, length)) {
        const count = meta >>> 8;
        const value = table[slot + 2]!;
        if (count === 1) target[at] = value;
        else for (let index = 0; index < count; index++) target[at + index] = this.#ids[value + index]!;
        return count;
      }
      slot = (slot + slotWidth) & slotMask;
    }
    return 0;
  }

  /** Stores the ids of a piece of at most {@link longestKeptPiece} units; `hash` from {@link hashUnits}. */
  add(units: Uint16Array, from: number, length: number, hash: number, ids: Int32Array, count: number): void {
    if (this.#keysUsed + length > maxKeyUnits || this.#idsUsed + count > maxIds) this.#clear();
    if (2 * slotWidth * ++this.#pieces > this.#slots.length) this.#growSlots();
    const slot = this.#slotFor(hash);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = length + (count << 8);
    this.#slots[slot + 2] = count === 1 ? ids[0]! : this.#idsUsed;
    this.#writeKey(slot + keyInSlot, units, from, length);
    if (count === 1) return;
    this.#ids = grown(this.#ids, this.#idsUsed + count);
    for (let index = 0; index < count; index++) this.#ids[this.#idsUsed++] = ids[index]!;
  }

  #writeKey(at: number, units: Uint16Array, from: number, length: number): void {
    if (length > shortKey) {
      this.#slots[at] = this.#keysUsed;
      this.#keys = grown(this.#keys, this.#keysUsed + length);
      for (let index = 0; index < length; index++) this.#keys[this.#keysUsed++] = units[from + index]!;
      return;
    }
    for (let index = 0; index < length; index += 2) {
      const second = index + 1 < length ? units[from + index + 1]! : 0;
      this.#slots[at + (index >> 1)] = units[from + index]! | (second << 16);
    }
  }

  #keyIs(slot: number, units: Uint16Array, from: number, length: number): boolean {
    const table = this.#slots;
    let word = slot + keyInSlot;
    const end = from + length;
    let at = from;
    if (length > shortKey) {
      const keys = this.#keys;
      for (let key = table[word]!; at < end; at++, key++) if (keys[key] !== units[at]) return false;
      return true;
    }
    for (; at + 1 < end; at += 2, word++) {
      if (table[word] !== (units[at]! | (units[at + 1]! << 16))) return false;
    }
    return at === end || table[word] === units[at];
  }

  /** Free slot for the hash, or its preferred slot, whose piece is evicted. */
  #slotFor(hash: number): number {
    const slotMask = this.#slots.length - 1;
    const home = (hash << 3) & slotMask;
    for (let probe = 0; probe < probes; probe++) {
      const slot = (home + probe * slotWidth) & slotMask;
      if (this.#slots[slot + 1] === 0) return slot;
    }
    return home;
  }

  #growSlots(): void {
    const before = this.#slots;
    if (before.length === maxSlots * slotWidth) return;
    this.#slots = new Int32Array(4 * before.length);
    for (let at = 0; at < before.length; at += slotWidth)
      if (before[at + 1] !== 0)
        this.#slots.set(before.subarray(at, at + slotWidth), this.#slotFor(before[at]!));
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#pieces = 0;
    this.#keysUsed = 0;
    this.#idsUsed = 0;
  }
}

/** Hash of the units from `from` to `end`, two at a time. */
export function hashUnits(units: Uint16Array, from: number, end: number): number {
  let hash = end - from;
  let at = from;
  for (; at + 1 < end; at += 2) {
    hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ (units[at]! | (units[at + 1]! << 16)), 0x9e3779b1);
  }
  if (at < end) hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ units[at]!, 0x9e3779b1);
  hash ^= hash >>> 15;
  return hash;
}
