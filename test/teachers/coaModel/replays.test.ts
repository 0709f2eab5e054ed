import { expect, test } from 'vitest';
import { replayRandomTrajectories, students } from './support/replayAll.ts';

test.each(Object.entries(students))(
  '%s: random trajectories are played again to the byte, from the training row of every step',
  async (_, student) => {
    await expect(replayRandomTrajectories(await student(), 50)).resolves.toBeUndefined();
  },
);
