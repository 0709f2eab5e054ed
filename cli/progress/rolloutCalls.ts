import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import type { ModelCall, TaskWork, ToolCall } from '../../contract/calls.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { RolloutUse } from '../../operations/forecast/rolloutForecaster.ts';
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

/** The calls of rollouts: they tell the time left also while none of them ends, and what each was billed and the oldest one is at. */
export class RolloutCalls {
  readonly #open = new Map<string, OpenRollout>();
  /** What rollouts were billed so far. */
  readonly used = { costUsd: 0, tokens: 0 };
  #answered = 0;
  #answeredAtMs = 0;
  /** By the number of calls: rollouts that made so many, and those that ended after so many. */
  readonly #made = new Counts<number>();
  readonly #ended = new Counts<number>();

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
    // What a tool's model said is not an answer of the team.
    if (scope.role === 'tool') return;
    this.#made.add(++open.calls);
    this.#answered++;
    this.#answeredAtMs = nowMs;
  }

  toolCall({ work }: Pick<ToolCall, 'work'>, nowMs: number): void {
    if (work) this.#of(work, nowMs).toolCalls++;
  }

  /** A second try asks as the rollout that it repairs. Returns what the rollout was billed. */
  ended({ taskId, rollout, repairs, outcome }: Ended): { use: RolloutUse; isWhole: boolean } {
    const key = keyOf({ task_id: taskId, rollout: repairs ?? rollout });
    const open = this.#open.get(key);
    this.#ended.add(open?.calls ?? 0);
    this.#open.delete(key);
    const isWhole = open !== undefined && open.calls >= callsOf(outcome);
    return { use: open?.use ?? { costUsd: 0, tokens: 0 }, isWhole };
  }

  /** The rollout that has been under way for longest. */
  get oldest(): OpenRollout | undefined {
    return this.#open.values().next().value;
  }

  /**
   * Milliseconds until `left` rollouts have ended, those under way among them, by the calls that they are expected to
   * make: from one answer to the next it goes down as time goes by. Undefined before a rollout with calls has ended.
   */
  leftMs(left: number, startedMs: number, nowMs: number): number | undefined {
    const ahead = this.#callsAhead();
    if (!ahead) return undefined;
    let calls = (left - this.#open.size) * ahead[0]!;
    for (const open of this.#open.values()) calls += ahead[open.calls]!;
    const msACall = (this.#answeredAtMs - startedMs) / this.#answered;
    return Math.max(0, calls * msACall - (nowMs - this.#answeredAtMs));
  }

  /**
   * How many calls are to be expected after so many (Kaplan and Meier 1958): the first to end are the shortest, so those
   * under way count too, as far as they are.
   */
  #callsAhead(): number[] | undefined {
    const ended = sum(this.#ended.values()) - (this.#ended.get(0) ?? 0);
    if (ended === 0) return undefined;
    const last = Math.max(...this.#made.keys());
    const ahead = new Array<number>(last + 1).fill(0);
    // Where none has ended that far, nobody knows: half as many again.
    let further = last / 2;
    for (let calls = last; calls >= 0; calls--) {
      const goOn = this.#made.get(calls + 1) ?? 0;
      const seen = goOn + (this.#ended.get(calls) ?? 0);
      further = seen === 0 ? further : (goOn / seen) * (1 + further);
      ahead[calls] = further;
    }
    return ahead;
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
