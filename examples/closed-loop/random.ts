/** A seeded stream of choices. Each entity draws from a stream of its own, so adding one leaves the others as they were. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** One of the items. Throws when there are none. */
  pick<T>(items: readonly T[]): T;
  /** The items in a random order. */
  shuffle<T>(items: readonly T[]): T[];
}

/** A stream that is the same for the same seed on every machine. */
export function createRandom(seed: string): Random {
  const next = generatorOf(seed);
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: (items) => {
      if (items.length === 0) throw new Error(`nothing to pick from (seed ${seed})`);
      return items[int(0, items.length - 1)]!;
    },
    shuffle: (items) => {
      const order = [...items];
      for (let at = order.length - 1; at > 0; at--) {
        const other = int(0, at);
        [order[at], order[other]] = [order[other]!, order[at]!];
      }
      return order;
    },
  };
}

/** Numbers from 0 up to 1: Marsaglia's 32-bit xorshift, started from an FNV-1a hash of the seed. */
function generatorOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // Neighbouring seeds give neighbouring hashes; an odd start value keeps the state away from zero.
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) | 1;
  const step = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
  for (let warmUp = 0; warmUp < 8; warmUp++) step();
  return step;
}
