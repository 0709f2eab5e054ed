import { expect, test } from 'vitest';
import type { Teacher } from '../../contract/teacher.ts';
import { createRolloutStage } from '../../stages/createRolloutStage.ts';
import { runRecordStage } from '../support/runStage.ts';
import { mhqaSteps, taskOf, traceOf } from '../support/traceFixture.ts';

const task = taskOf('mhqa');
const stageOf = (solve: Teacher['solve']) => createRolloutStage({ teacher: { solve }, concurrency: 3 });

test('a solved task is emitted as its trace', async () => {
  const trace = traceOf(task, mhqaSteps(['who']));
  const stage = stageOf(async () => ({ kind: 'solved', trace }));
  expect(stage.concurrency).toBe(3);
  expect(await runRecordStage(stage, task)).toEqual({ kind: 'emit', records: [trace] });
  expect(stage.output.parse(trace)).toEqual(trace);
});

test('a failed task keeps its cause and what had happened by then', async () => {
  const failure = {
    cause: 'model_refused',
    message: 'no',
    retryable: false,
    evidence: { role: 'planner' },
  } as const;
  const partial = { events: [1] };
  const stage = stageOf(async () => ({ kind: 'failed', failure, partial }));
  expect(await runRecordStage(stage, task)).toEqual({ kind: 'fail', failure, partial });
});
