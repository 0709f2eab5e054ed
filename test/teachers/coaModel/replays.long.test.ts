import { test } from 'vitest';
import { cases } from '../../support/cases.ts';
import { replayRandomTrajectories, students } from './support/replayAll.ts';

const games = cases(1_000, 'COA_REPLAYS');

test.each(Object.entries(students))(
  '%s: many random trajectories are played again to the byte',
  async (_, student) => replayRandomTrajectories(await student(), games / 2),
);
