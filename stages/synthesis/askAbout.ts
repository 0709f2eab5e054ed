import { RecordFailure } from '../../contract/errors.ts';
import type { StageContext } from '../../contract/stage.ts';
import type { Asked, RoleContext, SynthesisRoles } from '../../contract/synthesis.ts';
import { isOfPlayer } from '../../schemas/failureCauses.ts';
import type { Spent } from '../../schemas/synthesis/candidate.ts';
import type { Task } from '../../schemas/task.ts';

/** Whether an answer is right. Throws `RecordFailure` where there is no verdict. */
export type AnswerJudge = (
  task: Pick<Task, 'question' | 'answers'>,
  answer: string,
  context: { readonly taskId: string; readonly signal: AbortSignal },
) => Promise<boolean>;

/** The asking about one candidate: what it has cost so far is counted on. */
export class Inquiry {
  readonly #context: StageContext & { readonly taskId: string };
  spent: Spent;

  constructor(taskId: string, spent: Spent, context: StageContext) {
    this.#context = { ...context, taskId };
    this.spent = spent;
  }

  get scope(): { readonly taskId: string; readonly signal: AbortSignal } {
    return this.#context;
  }

  /**
   * One call of a role, counted.
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
   * So many calls of a role, one after the other. What a model refused, or answered so that it can't be read, is no vote: it
   * is left out as long as there are others.
   *
   * @throws RecordFailure of an endpoint or a tool, and where no answer can be read
   */
  async tries<T>(count: number, call: (context: RoleContext) => Promise<Asked<T>>): Promise<Asked<T>[]> {
    const all: Asked<T>[] = [];
    let unread: RecordFailure | undefined;
    for (let place = 0; place < count; place++) {
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
}

/** What both stages that ask models about candidates are given. */
export interface InquiryParts {
  readonly roles: SynthesisRoles;
  readonly judge: AnswerJudge;
}
