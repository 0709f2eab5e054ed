import type { ModelCall, TaskWork, ToolCall } from '../../contract/calls.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { RolloutUse } from '../../pipeline/estimate/liveEstimate.ts';
import { roleSchema } from '../../schemas/trace.ts';

/** Running rollout; cached answers are not counted. */
export interface OpenRollout {
  /** Model answers. */
  calls: number;
  toolCalls: number;
  /** Monotonic time of its first answer, in milliseconds. */
  readonly sinceMs: number;
  /** Billed use. */
  readonly use: RolloutUse;
}

type Ended = Pick<CorpusOutcome<unknown>, 'taskId' | 'rollout' | 'repairs' | 'outcome'>;

/** Calls and bills of running rollouts. */
export class RolloutCalls {
  readonly #open = new Map<string, OpenRollout>();
  /** Total billed use of rollouts. */
  readonly used = { costUsd: 0, tokens: 0 };

  modelCall(
    { scope, usage, costUsd = 0 }: Pick<ModelCall, 'scope'> & Partial<ModelCall>,
    nowMs: number,
  ): void {
    if (!scope || !rolesOfRollouts.has(scope.role)) return;
    const open = this.#of(scope.work, nowMs);
    const tokens = usage ? usage.prompt_tokens + usage.completion_tokens : 0;
    for (const use of [this.used, open.use]) {
      use.costUsd += costUsd;
      use.tokens += tokens;
    }
    // Models of tools do not count as answers of the team.
    if (scope.role !== 'tool') open.calls++;
  }

  toolCall({ work }: Pick<ToolCall, 'work'>, nowMs: number): void {
    if (work) this.#of(work, nowMs).toolCalls++;
  }

  /** Ends a rollout and returns its billed use. A second try uses the key of the repaired rollout. */
  ended({ taskId, rollout, repairs, outcome }: Ended): { use: RolloutUse; isWhole: boolean } {
    const key = keyOf({ task_id: taskId, rollout: repairs ?? rollout });
    const open = this.#open.get(key);
    this.#open.delete(key);
    const isWhole = open !== undefined && open.calls >= callsOf(outcome);
    return { use: open?.use ?? { costUsd: 0, tokens: 0 }, isWhole };
  }

  /** Longest-running rollout. */
  get oldest(): OpenRollout | undefined {
    return this.#open.values().next().value;
  }

  #of(work: TaskWork, nowMs: number): OpenRollout {
    const key = keyOf(work);
    const open = this.#open.get(key) ?? {
      calls: 0,
      toolCalls: 0,
      sinceMs: nowMs,
      use: { costUsd: 0, tokens: 0 },
    };
    this.#open.set(key, open);
    return open;
  }
}

const rolesOfRollouts: ReadonlySet<string> = new Set([...roleSchema.options, 'tool']);

/** Calls of a rollout including cached ones, as far as its record or partial trace shows. */
function callsOf(outcome: Ended['outcome']): number {
  const work = outcome.kind === 'emit' ? outcome.records[0] : outcome.kind === 'fail' && outcome.partial;
  const { totals } = (work || {}) as { readonly totals?: { readonly model_calls?: number } };
  return totals?.model_calls ?? 0;
}

function keyOf({
  task_id,
  rollout = 0,
}: Pick<TaskWork, 'task_id'> & { rollout?: number | undefined }): string {
  return JSON.stringify([task_id, rollout]);
}
