import { emitRecord, type RecordStage } from '../contract/stage.ts';
import type { Teacher } from '../contract/teacher.ts';
import type { RolloutPlan } from '../schemas/config/rollouts.ts';
import { type Task, taskSchema } from '../schemas/task.ts';
import { type Trace, traceSchema } from '../schemas/trace.ts';

/** Teacher and concurrency of rollouts. */
interface RolloutOptions {
  readonly teacher: Teacher;
  /** Concurrent rollouts. */
  readonly concurrency: number;
  /** Maximum while the teacher's endpoints have free slots; default: `concurrency`. */
  readonly mostAtOnce?: number;
  /** Rollouts per task; absent: one. */
  readonly rollouts?: RolloutPlan;
  /** As in `RecordStage`. */
  readonly prepare?: () => Promise<void>;
}

/** Lets the teacher solve each task. A failed task keeps its partial trace. */
export function createRolloutStage(options: RolloutOptions): RecordStage<Task, Trace> {
  const { teacher, concurrency, mostAtOnce = concurrency, rollouts, prepare } = options;
  const lanes = new Set<number>();
  return {
    name: 'rollout',
    version: 4,
    input: taskSchema,
    output: traceSchema,
    /**
     * One task per conversation slot, if slots are known. Otherwise more tasks than `concurrency` while slots are
     * free, since tasks also wait for other things.
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

/** Lowest free lane, so that a new task reuses the slot of a finished one. */
function takeLane(taken: Set<number>): number {
  let lane = 0;
  while (taken.has(lane)) lane += 1;
  taken.add(lane);
  return lane;
}
