import { createHash } from 'node:crypto';
import type { Trajectory } from './trajectory.ts';

type Segments = Pick<Trajectory, 'segments'>;

/** Length of a trajectory's text, in UTF-16 code units. */
export function charsOf({ segments }: Segments): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
}

/** 48-bit hash of a trajectory's text, for comparing rollouts of a task. */
export function textDigest({ segments }: Segments): number {
  const hash = createHash('sha256');
  for (const { text } of segments) hash.update(text);
  return hash.digest().readUIntBE(0, 6);
}
