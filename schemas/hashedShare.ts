import { createHash } from 'node:crypto';

/** Bytes of the hash used for the number: as many as a double holds exactly. */
const hashBytes = 6;

/**
 * Fixed number in [0, 1) for an id and a choice; values below a rate are chosen. It depends only on the choice's
 * name, the seed and the id, so that a larger rate only adds, and neither order nor machine matters.
 */
export function hashedShare(choice: string, seed: number, id: string): number {
  const hash = createHash('sha256').update(`${choice}\n${seed}\n${id}`).digest();
  return hash.readUIntBE(0, hashBytes) / 256 ** hashBytes;
}
