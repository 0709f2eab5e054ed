import { hash32 } from '../../base/hash32.ts';

/** Numbers of a sketch: the likeness of two texts is told to about 1 / sqrt of it, 0.09. */
const SKETCH_SIZE = 128;
/** Words that make one shingle. */
const SHINGLE_WORDS = 3;

/**
 * A sketch of a text's shingles of three words, by one permutation: the range of a hash is cut into 128 bins, and each
 * holds the least hash that fell into it; 0xffffffff where none did. Equal texts have equal sketches.
 */
export function wordSketch(text: string): Uint32Array {
  const sketch = new Uint32Array(SKETCH_SIZE).fill(0xffffffff);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (let at = 0; at + SHINGLE_WORDS <= Math.max(words.length, SHINGLE_WORDS); at++) {
    const hash = hash32(words.slice(at, at + SHINGLE_WORDS).join(' '));
    const bin = hash % SKETCH_SIZE;
    if (hash < sketch[bin]!) sketch[bin] = hash;
  }
  return sketch;
}

/** The share of shingles that two texts have in common (Jaccard), told by their sketches: 0 to 1. */
export function sketchLikeness(a: Uint32Array, b: Uint32Array): number {
  let [equal, used] = [0, 0];
  for (const [bin, hash] of a.entries()) {
    if (hash === 0xffffffff && b[bin] === 0xffffffff) continue;
    used++;
    if (hash === b[bin]) equal++;
  }
  return used === 0 ? 1 : equal / used;
}
