import { RecordFailure } from '../../contract/errors.ts';
import type { StageContext } from '../../contract/stage.ts';
import { isOfPlayer } from '../../schemas/failureCauses.ts';
import type { Task } from '../../schemas/task.ts';
import type { Spent } from '../../schemas/taskSynthesis.ts';
import type { Asked, RoleContext } from '../roles.ts';
import type { Tally } from './rules/askedRules.ts';

/** Judges an answer. Throws `RecordFailure` without a verdict. */
export type AnswerJudge = (
  task: Pick<Task, 'question' | 'answers'>,
  answer: string,
  context: { readonly taskId: string; readonly signal: AbortSignal },
) => Promise<boolean>;

/**
 * Maximum votes of the role check per question: with an error rate of 1 in 10, the majority of three errs in 1 of 36.
 */
const CHECK_VOTES = 3;

export function tallyOf(all: readonly Asked<unknown>[], passed: number): Tally {
  return { passed, tries: all.length, request_hashes: all.map(({ request_hash }) => request_hash) };
}

/** Inquiry about one candidate, which accumulates its cost. */
export class Inquiry {
  readonly #context: Omit<RoleContext, 'ask'>;
  spent: Spent;

  constructor(taskId: string, spent: Spent, context: StageContext & Pick<RoleContext, 'stage'>) {
    this.#context = { ...context, taskId };
    this.spent = spent;
  }

  get scope(): Omit<RoleContext, 'ask'> {
    return this.#context;
  }

  /**
   * Runs and counts one call of a role.
   *
   * @param place - Which of several equal asks, from 0
   */
  async ask<T>(call: (context: RoleContext) => Promise<Asked<T>>, place = 0): Promise<Asked<T>> {
    const asked = await call({ ...this.#context, ask: place });
    const { calls, prompt_tokens, completion_tokens, cost_usd } = this.spent;
    this.spent = {
      calls: calls + asked.calls,
      prompt_tokens: prompt_tokens + asked.usage.prompt_tokens,
      completion_tokens: completion_tokens + asked.usage.completion_tokens,
      cost_usd: cost_usd + asked.cost_usd,
    };
    return asked;
  }

  /**
   * Runs several calls of a role in sequence. A refused or unreadable answer is no vote; it is ignored as long as
   * others exist.
   *
   * @param isEnough - Whether no further call is needed after some
   * @throws RecordFailure of an endpoint or a tool, and if no answer is readable
   */
  async tries<T>(
    count: number,
    call: (context: RoleContext) => Promise<Asked<T>>,
    isEnough: (all: readonly Asked<T>[]) => boolean = () => false,
  ): Promise<Asked<T>[]> {
    const all: Asked<T>[] = [];
    let unread: RecordFailure | undefined;
    for (let place = 0; place < count && !isEnough(all); place++) {
      try {
        all.push(await this.ask(call, place));
      } catch (error) {
        if (!(error instanceof RecordFailure) || !isOfPlayer(error.failure.cause)) throw error;
        unread = error;
      }
    }
    if (unread && all.length === 0) throw unread;
    return all;
  }

  /**
   * Votes of the role check until more than half of {@link CHECK_VOTES} agree; `last` is the last one. Throws as
   * `tries`.
   */
  async votes<T>(
    call: (context: RoleContext) => Promise<Asked<T>>,
    isFor: (value: T) => boolean,
  ): Promise<{ readonly tally: Tally; readonly last: Asked<T> }> {
    const votesFor = (all: readonly Asked<T>[]) => all.filter(({ value }) => isFor(value)).length;
    const all = await this.tries(CHECK_VOTES, call, (some) => {
      const passed = votesFor(some);
      return Math.max(passed, some.length - passed) > CHECK_VOTES / 2;
    });
    return { tally: tallyOf(all, votesFor(all)), last: all.at(-1)! };
  }
}
