import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failureOf } from '../../contract/errors.ts';
import type { Teacher } from '../../contract/teacher.ts';
import { type RecordInputs, runRecordStage as runStageOverInputs } from '../../pipeline/run/stageRunner.ts';
import type { Task } from '../../schemas/task.ts';
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

test('tasks that wait for something else than slots are joined by others, up to a limit', async () => {
  let freeSlots = 0;
  const ended: (() => void)[] = [];
  const failed = { kind: 'failed', failure: failureOf(new Error('given up')), partial: {} } as const;
  const solve = () => new Promise<typeof failed>((resolve) => ended.push(() => resolve(failed)));
  const teacher = { solve, freeSlots: () => freeSlots };
  const stage = createRolloutStage({ teacher, concurrency: 2, mostAtOnce: 5 });
  const works = [1, 2, 3].map(() => runRecordStage(stage, task));
  // All slots are in use: who ends is not followed by another.
  expect(stage.concurrency).toBe(2);
  freeSlots = 1;
  expect(stage.concurrency).toBe(4);
  freeSlots = 9;
  expect(stage.concurrency).toBe(5);
  for (const end of ended) end();
  await Promise.all(works);
  freeSlots = 0;
  expect(stage.concurrency).toBe(2);
});

test('there is one task for each slot of the servers, where they are known', () => {
  const of = (slots: number | undefined) => ({
    solve: async () => failed,
    slots: () => slots,
    freeSlots: () => 9,
  });
  const failed = { kind: 'failed', failure: failureOf(new Error('given up')), partial: {} } as const;
  const stageAt = (slots: number | undefined) =>
    createRolloutStage({ teacher: of(slots), concurrency: 5, mostAtOnce: 16 });
  expect(stageAt(2).concurrency).toBe(2);
  expect(stageAt(30).concurrency).toBe(30);
  expect(stageAt(undefined).concurrency).toBe(9);
});

test('slots are busy also where tools take three quarters of the time', async () => {
  let [calls, working, mostWorking] = [0, 0, 0];
  const solve = async () => {
    mostWorking = Math.max(mostWorking, ++working);
    await setTimeout(30);
    calls += 1;
    await setTimeout(10);
    calls -= 1;
    working -= 1;
    return { kind: 'solved', trace } as const;
  };
  const trace = traceOf(task, mhqaSteps(['who']));
  const teacher = { solve, freeSlots: () => Math.max(0, 4 - calls) };
  const stage = createRolloutStage({ teacher, concurrency: 5, mostAtOnce: 16 });
  const outcomes = await runRows(stage, Array<Task>(200).fill(task));
  expect(outcomes).toBe(200);
  expect(mostWorking).toBeGreaterThan(10);
  expect(mostWorking).toBeLessThanOrEqual(16);
});

/** Runs a stage over records as a run does; returns how many ended. */
async function runRows(
  stage: ReturnType<typeof createRolloutStage>,
  tasks: readonly Task[],
): Promise<number> {
  let ended = 0;
  const done = async () => {};
  const log = { finishedInputs: 0, isFinished: () => false, attemptsAt: () => 0, ready: done, flush: done };
  const inputs = {
    count: tasks.length,
    async *read() {
      for (const [index, record] of tasks.entries()) yield { index, record };
    },
  } as unknown as RecordInputs;
  const never = new AbortController().signal;
  await runStageOverInputs(
    stage,
    { inputs, log: { ...log, record: () => void ended++ } },
    { signal: never, drain: never },
  );
  return ended;
}
