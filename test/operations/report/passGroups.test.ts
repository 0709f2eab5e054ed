import { join } from 'node:path';
import { expect, test } from 'vitest';
import { passGroups } from '../../../operations/report/passGroups.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { taskOf, trajectoryOf, writtenRun } from '../../viewer/support/writtenRun.ts';

test('pass rates stand by profile and by what a probe found, over the tasks that have one', async () => {
  const run = writtenRun(join(temporaryFolder(), 'run'));
  const probe = (passed: number) => ({ passed, samples: 4, unscored: 0 });
  for (const [id, profile, passed] of [
    ['a', 'web', 4],
    ['b', 'web', 0],
    ['c', 'math', 1],
    ['d', 'math', 2],
  ] as const) {
    run.emit('tasks', id, [{ ...taskOf(id, 'Where?'), profile }]);
    run.begin('probe', 'hash of probe');
    run.emit('probe', id, [{ ...taskOf(id, 'Where?'), profile, probe: probe(passed) }]);
  }
  for (const [id, judgement] of [
    ['a', 'correct'],
    ['b', 'incorrect'],
    ['c', 'correct'],
  ] as const)
    run.emit('judge', id, [trajectoryOf(id, 'said', judgement)]);
  const groups = await passGroups(run.folder);
  expect(groups.map(({ by, group, tasks, value }) => [by, group, tasks, value])).toEqual([
    ['profile', 'web', 2, 0.5],
    ['profile', 'math', 1, 1],
    ['difficulty', 'easy', 1, 1],
    ['difficulty', 'hard', 2, 0.5],
  ]);
  for (const { low, high, value } of groups) expect(low <= value && value <= high).toBe(true);
});
