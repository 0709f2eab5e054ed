import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { TaskWork } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, Sampling } from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import { dataText } from '../../contract/prompting.ts';
import { nothingUsed, type Usage, usageOfAll } from '../../schemas/chat.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { type AnswerFinding, cutText } from './answerFinding.ts';
import { type JudgeQuestion, type ModelVerdict, readVerdict } from './judgeQuestion.ts';

/** Model of a judge with its settings. */
export interface JudgeModel {
  readonly chat: ChatModel;
  readonly sampling: Sampling;
  /** Votes per question; a verdict needs more than half. */
  readonly votes: number;
  /** Maximum characters of a question, prompt included. */
  readonly maxChars: number;
}

/** Caller of a question; equal questions of one task are separate votes. */
export interface AskScope {
  readonly work: TaskWork;
  readonly signal: AbortSignal;
}

/** Asks a judge's model once for an answer of a schema. */
export function askJudge(
  { chat, sampling }: JudgeModel,
  { system, user }: { readonly system: string; readonly user: string },
  { name, schema }: { readonly name: string; readonly schema: z.ZodType },
  { work, signal }: AskScope,
): Promise<ChatAnswer> {
  const request = {
    messages: [
      { role: 'system' as const, content: system },
      { role: 'user' as const, content: user },
    ],
    response_schema: { name, schema: z.toJSONSchema(schema) as JsonObject },
    sampling,
  };
  return chat.chat(request, signal, { work, role: 'judge' });
}

const MAX_RATIONALE_CHARS = 1_000;

/** Failures limited to one vote. Any other ends the voting. */
const failuresOfOneVote: readonly FailureCause[] = ['model_refused', 'answer_truncated', 'malformed_answer'];

type Vote = ModelVerdict | { readonly failure: FailureCause; readonly message: string };

/** Votes of a model on one question with their cost. */
class Ballot {
  readonly #model: JudgeModel;
  readonly #votes: Vote[] = [];
  /** True once a vote failed in a way that would recur, such as an unreachable endpoint. */
  isCutShort = false;
  usage: Usage = nothingUsed;
  costUsd = 0;

  constructor(model: JudgeModel) {
    this.#model = model;
  }

  /** True if another vote is allowed and could decide. */
  get isOpen(): boolean {
    const { votes } = this.#model;
    const most = Math.max(this.#count('correct'), this.#count('incorrect'));
    const left = votes - this.#votes.length;
    return !this.isCutShort && left > 0 && most <= votes / 2 && most + left > votes / 2;
  }

  /** Asks once. */
  async vote({ name, system, verdict }: JudgeQuestion, user: string, scope: AskScope): Promise<void> {
    try {
      const said = await askJudge(this.#model, { system, user }, { name, schema: verdict }, scope);
      this.#pay(said.usage, said.cost_usd);
      const read = readVerdict(said.content, verdict);
      this.#votes.push(read.ok ? read.verdict : { failure: 'malformed_answer', message: read.error });
    } catch (error) {
      if (!(error instanceof RecordFailure) || error.failure.cause === 'not_cached') throw error;
      const { cause, message } = error.failure;
      if (error instanceof WithheldAnswer && error.answer.usage) this.#pay(error.answer.usage, 0);
      this.#votes.push({ failure: cause, message });
      this.isCutShort = !failuresOfOneVote.includes(cause);
    }
  }

  /**
   * Majority finding.
   * @throws RecordFailure `unscored` without one, with the votes as evidence, and `cut_short` where the model could not
   *   be asked on
   */
  finding(): AnswerFinding {
    const { votes } = this.#model;
    const [correct, incorrect] = [this.#count('correct'), this.#count('incorrect')];
    const evidence = this.#evidence();
    if (Math.max(correct, incorrect) > votes / 2) {
      const score = correct / (correct + incorrect);
      return { judge: 'model', correct: correct > incorrect, score, evidence };
    }
    const failures = this.#votes.flatMap((one) => ('failure' in one ? [one] : []));
    const first = failures[0] ? `; the first failure: ${cutText(failures[0].message)}` : '';
    const counted = `${correct} correct, ${incorrect} incorrect, ${failures.length} failed`;
    const why = `no majority of ${votes} votes of the judge (${counted})${first}`.replace(/\s+/g, ' ');
    throw new RecordFailure('unscored', why, evidence, this.isCutShort ? { cut_short: true } : {});
  }

  #count(judgement: ModelVerdict['judgement']): number {
    return this.#votes.filter((vote) => 'judgement' in vote && vote.judgement === judgement).length;
  }

  #pay(usage: Usage, costUsd: number): void {
    this.usage = usageOfAll([this.usage, usage]);
    this.costUsd += costUsd;
  }

  #evidence(): JsonObject {
    const votes = this.#votes.map((vote): JsonObject => {
      if ('failure' in vote) return { failure: vote.failure, message: cutText(vote.message) };
      const { judgement, rationale, failed_criteria } = vote;
      const criteria = failed_criteria && { failed_criteria: [...failed_criteria] };
      return { judgement, rationale: cutText(rationale, MAX_RATIONALE_CHARS), ...criteria };
    });
    return { model: this.#model.chat.model, votes, usage: { ...this.usage }, cost_usd: this.costUsd };
  }
}

/**
 * Asks a model once per vote, in sequence, until more than half agree or no longer can.
 * @throws RecordFailure `unreadable_answer` where the answer alone makes the question too long, `unscored` where the
 *   rest does; `not_cached` as it came
 */
export async function castVotes(
  question: JudgeQuestion,
  model: JudgeModel,
  scope: AskScope,
): Promise<Ballot> {
  const user = dataText(question.data);
  const characters = question.system.length + user.length;
  if (characters > model.maxChars) {
    const message = `the question to the judge has ${characters} characters, more than judge.max_chars (${model.maxChars})`;
    const others = question.system.length + dataText({ ...question.data, candidate_answer: '' }).length;
    const cause = others > model.maxChars ? 'unscored' : 'unreadable_answer';
    throw new RecordFailure(cause, message, { characters }, { retryable: false });
  }
  const ballot = new Ballot(model);
  while (ballot.isOpen) await ballot.vote(question, user, scope);
  return ballot;
}
