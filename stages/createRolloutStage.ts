import { emitRecord, type RecordStage } from '../contract/stage.ts';
import type { Teacher } from '../contract/teacher.ts';
import type { RolloutPlan } from '../schemas/config/rollouts.ts';
import { type Task, taskSchema } from '../schemas/task.ts';
import { type Trace, traceSchema } from '../schemas/trace.ts';

/** Who solves tasks, and how many at once. */
interface RolloutOptions {
  readonly teacher: Teacher;
  /** Rollouts worked on at once. */
  readonly concurrency: number;
  /** So many at once while the teacher's endpoints have free slots; absent: no more than `concurrency`. */
  readonly mostAtOnce?: number;
  /** How often each task is rolled out; absent: once. */
  readonly rollouts?: RolloutPlan;
  /** As in `RecordStage`. */
  readonly prepare?: () => Promise<void>;
}

/** Lets the teacher solve each task. A task that it could not solve fails with what had happened by then. */
export function createRolloutStage(options: RolloutOptions): RecordStage<Task, Trace> {
  const { teacher, concurrency, mostAtOnce = concurrency, rollouts, prepare } = options;
  const lanes = new Set<number>();
  return {
    name: 'rollout',
    version: 4,
    input: taskSchema,
    output: traceSchema,
    /**
     * A task for each slot that keeps a conversation, where slots are known. Otherwise: while slots are free, tasks wait
     * for something else, and more of them fill the slots.
     */
    get concurrency() {
      const slots = teacher.slots?.();
      if (slots !== undefined) return slots;
      const working = lanes.size;
      const free = teacher.freeSlots?.() ?? 0;
      const wanted = free > 0 ? working + free : working - 1;
      return Math.max(concurrency, Math.min(wanted, mostAtOnce));
    },
    onConcurrency: (listener) => teacher.onFreeSlots?.(listener),
    ...(rollouts && { rollouts }),
    ...(prepare && { prepare }),
    async run(task, context) {
      const lane = takeLane(lanes);
      try {
        const solved = await teacher.solve(task, { ...context, lane });
        if (solved.kind === 'solved') return emitRecord(solved.trace);
        return { kind: 'fail', failure: solved.failure, partial: solved.partial };
      } finally {
        lanes.delete(lane);
      }
    },
  };
}

/** The lowest lane that nobody has, so that a new task gets the slot of one that has ended. */
function takeLane(taken: Set<number>): number {
  let lane = 0;
  while (taken.has(lane)) lane += 1;
  taken.add(lane);
  return lane;
}
