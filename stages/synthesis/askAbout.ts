import type { StageContext } from '../../contract/stage.ts';
import type { Asked, RoleContext, SynthesisRoles } from '../../contract/synthesis.ts';
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

  /** So many calls of a role, one after the other. */
  async tries<T>(count: number, call: (context: RoleContext) => Promise<Asked<T>>): Promise<Asked<T>[]> {
    const all: Asked<T>[] = [];
    for (let place = 0; place < count; place++) all.push(await this.ask(call, place));
    return all;
  }
}

/** What both stages that ask models about candidates are given. */
export interface InquiryParts {
  readonly roles: SynthesisRoles;
  readonly judge: AnswerJudge;
}
