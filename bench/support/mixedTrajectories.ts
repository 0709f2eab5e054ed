import type { Trajectory } from '../../schemas/trajectory.ts';
import { mhqaTrajectory } from './mhqaTrajectory.ts';
import { mixedRows } from './mixedRows.ts';

/** Trajectories of the texts of `mixedRows`, so many bytes of them. */
export function mixedTrajectories(bytes: number): Trajectory[] {
  const trajectories: Trajectory[] = [];
  let size = 0;
  for (const pieces of mixedRows()) {
    const segments = pieces
      .flatMap(({ kind, text, origin }) => (kind === 'text' && origin !== 'prompt' ? [{ text, origin }] : []))
      // After the last segment the turn ends.
      .slice(0, -1)
      .map((part, at) => ({ ...part, tag: /^<(\w+)>/.exec(part.text)![1]!, event: `event_${at}` }));
    size += pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const row = trajectories.length;
    trajectories.push(
      mhqaTrajectory(String(row), { question: `Question ${row}?`, segments, interactions: 3 }),
    );
    if (size >= bytes) break;
  }
  return trajectories;
}
