import { createHash } from 'node:crypto';
import type { Split } from '../../schemas/manifest.ts';

/** Bytes of the hash that make the number: as many as a double holds exactly. */
const hashBytes = 6;

/**
 * The split of the rows of a task, and of all tasks that ask the same or nearly the same: `clusterId` is the id of
 * one of them. It has a fixed number in [0, 1), worked out from that id alone: a larger share only moves tasks into the
 * validation split, and a task that validates one dataset trains none with the same share.
 */
export function splitOf(clusterId: string, validationShare: number): Split {
  const hash = createHash('sha256').update(`validation\n${clusterId}`).digest();
  return hash.readUIntBE(0, hashBytes) / 256 ** hashBytes < validationShare ? 'validation' : 'train';
}
