import type { ModelCall, TaskWork, ToolCall } from '../../contract/calls.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { RolloutUse } from '../../pipeline/estimate/liveEstimate.ts';
import { roleSchema } from '../../schemas/trace.ts';

/** A rollout under way, as far as it asked anybody: what the cache answered is not counted. */
export interface OpenRollout {
  /** Answers of models. */
  calls: number;
  toolCalls: number;
  /** Milliseconds on the monotonic clock at its first answer. */
  readonly sinceMs: number;
  /** What it was billed. */
  readonly use: RolloutUse;
}

type Ended = Pick<CorpusOutcome<unknown>, 'taskId' | 'rollout' | 'repairs' | 'outcome'>;

/** The calls of rollouts under way, and what each was billed. */
export class RolloutCalls {
  readonly #open = new Map<string, OpenRollout>();
  /** What rollouts were billed so far. */
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
    // A tool's model does not answer for the team.
    if (scope.role !== 'tool') open.calls++;
  }

  toolCall({ work }: Pick<ToolCall, 'work'>, nowMs: number): void {
    if (work) this.#of(work, nowMs).toolCalls++;
  }

  /** A second try asks as the rollout that it repairs. Returns what the rollout was billed. */
  ended({ taskId, rollout, repairs, outcome }: Ended): { use: RolloutUse; isWhole: boolean } {
    const key = keyOf({ task_id: taskId, rollout: repairs ?? rollout });
    const open = this.#open.get(key);
    this.#open.delete(key);
    const isWhole = open !== undefined && open.calls >= callsOf(outcome);
    return { use: open?.use ?? { costUsd: 0, tokens: 0 }, isWhole };
  }

  /** The rollout that has been under way for longest. */
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

/** Calls of a rollout, those that the cache answered among them, as far as its record or partial trace says. */
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
