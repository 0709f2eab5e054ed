/** The rank of a pair that never merges: higher than any other. */
export const never = 0x7fffffff;

const width = 4;
/** Ids below this are the bytes in most vocabularies: every piece begins with their pairs. */
const direct = 256;

const presentBits = 2 ** 21;
const presentMask = presentBits / 32 - 1;

/** What a {@link MergeTable} is stored as. */
export interface MergeTableParts {
  readonly slots: Int32Array;
  readonly direct: Int32Array;
  readonly joined: Int32Array;
}

/** What two neighbouring tokens merge into: an open-addressing hash table over pairs of ids, one cache line a pair. */
export class MergeTable {
  /** Each slot: left id + 1 (0 when free), right id, rank, nothing. */
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** Ranks of pairs of low ids, which are asked for most. */
  readonly #direct: Int32Array;
  readonly #joined: Int32Array;
  /** A bit for the hash of each pair that merges: most pairs that are asked for don't, and this fits the processor's cache. */
  readonly #present = new Uint32Array(presentBits / 32);

  /** @param parts what {@link MergeTable.parts} gave */
  constructor({ slots, direct, joined }: MergeTableParts) {
    this.#slots = slots;
    this.#mask = slots.length - 1;
    this.#direct = direct;
    this.#joined = joined;
    for (let slot = 0; slot < slots.length; slot += width)
      if (slots[slot] !== 0) this.#note(hashOf(slots[slot]! - 1, slots[slot + 1]!));
  }

  /** @param pairs - how many there will be, and so the lowest rank that no pair has */
  static empty(pairs: number): MergeTable {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(16, pairs * 1.5)));
    return new MergeTable({
      slots: new Int32Array(capacity * width),
      direct: new Int32Array(direct * direct).fill(never),
      joined: new Int32Array(pairs),
    });
  }

  /** The arrays that it consists of, not copied. */
  get parts(): MergeTableParts {
    return { slots: this.#slots, direct: this.#direct, joined: this.#joined };
  }

  /** Adds a pair; of two ranks for the same pair, the later counts, as in Hugging Face's `BPE`. */
  add(left: number, right: number, rank: number, joined: number): void {
    const hash = hashOf(left, right);
    this.#slots.set([left + 1, right, rank], this.#slotOf(left, right, hash));
    this.#note(hash);
    this.#joined[rank] = joined;
    if (left < direct && right < direct) this.#direct[left * direct + right] = rank;
  }

  /** Pairs of a lower rank merge first; {@link never} when this one never does. */
  rank(left: number, right: number): number {
    if (left < direct && right < direct) return this.#direct[left * direct + right]!;
    const hash = hashOf(left, right);
    if ((this.#present[(hash >>> 5) & presentMask]! & (1 << (hash & 31))) === 0) return never;
    const slot = this.#slotOf(left, right, hash);
    return this.#slots[slot] === 0 ? never : this.#slots[slot + 2]!;
  }

  /** The token that the pair of this rank becomes. */
  joined(rank: number): number {
    return this.#joined[rank]!;
  }

  #note(hash: number): void {
    this.#present[(hash >>> 5) & presentMask]! |= 1 << (hash & 31);
  }

  #slotOf(left: number, right: number, hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = (hash << 2) & mask;
    for (;;) {
      const key = slots[slot]!;
      if (key === 0 || (key === left + 1 && slots[slot + 1] === right)) return slot;
      slot = (slot + width) & mask;
    }
  }
}

function hashOf(left: number, right: number): number {
  const hash = Math.imul(Math.imul(left, 0x9e3779b1) ^ right, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
