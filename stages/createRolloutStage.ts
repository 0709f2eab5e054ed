import { emitRecord, type RecordStage } from '../contract/stage.ts';
import type { Teacher } from '../contract/teacher.ts';
import type { RolloutPlan } from '../schemas/config/rollouts.ts';
import { type Task, taskSchema } from '../schemas/task.ts';
import { type Trace, traceSchema } from '../schemas/trace.ts';

/** Who solves tasks, and how many at once. */
export interface RolloutOptions {
  readonly teacher: Teacher;
  /** Rollouts worked on at once. */
  readonly concurrency: number;
  /** How often each task is rolled out; absent: once. */
  readonly rollouts?: RolloutPlan;
}

/** Lets the teacher solve each task. A task that it could not solve fails with what had happened by then. */
export function createRolloutStage({
  teacher,
  concurrency,
  rollouts,
}: RolloutOptions): RecordStage<Task, Trace> {
  return {
    name: 'rollout',
    version: 1,
    input: taskSchema,
    output: traceSchema,
    concurrency,
    ...(rollouts && { rollouts }),
    async run(task, context) {
      const solved = await teacher.solve(task, context);
      if (solved.kind === 'solved') return emitRecord(solved.trace);
      return { kind: 'fail', failure: solved.failure, partial: solved.partial };
    },
  };
}
