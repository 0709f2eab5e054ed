import type { ModelCall, TaskWork, ToolCall } from '../../contract/calls.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { type Role, roleSchema } from '../../schemas/trace.ts';

/** A rollout under way, as far as it asked anybody: what the cache answered is not counted. */
export interface OpenRollout {
  /** Answers of models. */
  calls: number;
  toolCalls: number;
  /** Milliseconds on the monotonic clock at its first answer. */
  readonly sinceMs: number;
}

/** The calls of rollouts: they tell the time left also while none of them ends, and what the oldest one is at. */
export class RolloutCalls {
  readonly #open = new Map<string, OpenRollout>();
  #answered = 0;
  #answeredAtMs = 0;
  #endedCalls = 0;
  #ended = 0;

  modelCall({ scope }: Pick<ModelCall, 'scope'>, nowMs: number): void {
    if (!scope || !isOfTeam(scope.role)) return;
    this.#of(scope.work, nowMs).calls++;
    this.#answered++;
    this.#answeredAtMs = nowMs;
  }

  toolCall({ work }: Pick<ToolCall, 'work'>, nowMs: number): void {
    if (work) this.#of(work, nowMs).toolCalls++;
  }

  /** A second try asks as the rollout that it repairs. */
  ended({ taskId, rollout, repairs }: Pick<CorpusOutcome<unknown>, 'taskId' | 'rollout' | 'repairs'>): void {
    const key = keyOf({ task_id: taskId, rollout: repairs ?? rollout });
    this.#endedCalls += this.#open.get(key)?.calls ?? 0;
    this.#ended++;
    this.#open.delete(key);
  }

  /** The rollout that has been under way for longest. */
  get oldest(): OpenRollout | undefined {
    return this.#open.values().next().value;
  }

  /**
   * Milliseconds until `left` rollouts have ended, those under way among them, by the mean calls of those that have:
   * from one answer to the next it goes down as time goes by. Undefined before a rollout with calls has ended.
   */
  leftMs(left: number, startedMs: number, nowMs: number): number | undefined {
    if (this.#endedCalls === 0) return undefined;
    const mean = this.#endedCalls / this.#ended;
    let calls = left * mean;
    for (const open of this.#open.values()) calls -= Math.min(open.calls, mean);
    const msACall = (this.#answeredAtMs - startedMs) / this.#answered;
    return Math.max(0, calls * msACall - (nowMs - this.#answeredAtMs));
  }

  #of(work: TaskWork, nowMs: number): OpenRollout {
    const key = keyOf(work);
    const open = this.#open.get(key) ?? { calls: 0, toolCalls: 0, sinceMs: nowMs };
    this.#open.set(key, open);
    return open;
  }
}

function isOfTeam(role: string): role is Role {
  return (roleSchema.options as readonly string[]).includes(role);
}

function keyOf({
  task_id,
  rollout = 0,
}: Pick<TaskWork, 'task_id'> & { rollout?: number | undefined }): string {
  return JSON.stringify([task_id, rollout]);
}
