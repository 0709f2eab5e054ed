import type { JsonObject } from '../../base/json.ts';
import type { TaskWork } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, Sampling } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { dataText } from '../../contract/prompting.ts';
import { type Usage, usageSchema } from '../../schemas/chat.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { type AnswerFinding, cutText } from './answerFinding.ts';
import type { JudgeQuestion } from './judgeQuestion.ts';
import { type ModelVerdict, readVerdict, verdictJsonSchema } from './modelVerdict.ts';

/** The model that a judge asks, and how. */
export interface JudgeModel {
  readonly chat: ChatModel;
  readonly sampling: Sampling;
  /** Times that it is asked; a verdict needs more than half of them. */
  readonly votes: number;
  /** Longest question in characters, prompt included. */
  readonly maxChars: number;
}

/** Characters of a rationale that evidence keeps. */
const MAX_RATIONALE_CHARS = 1_000;

/** Failures of one vote, after which the next may go well. Any other ends the asking. */
const failuresOfOneVote: readonly FailureCause[] = ['model_refused', 'answer_truncated', 'malformed_answer'];

type Vote = ModelVerdict | { readonly failure: FailureCause; readonly message: string };

/** The votes so far, and what they cost. */
class Ballot {
  readonly votes: Vote[] = [];
  /** True once a vote failed in a way that the next would too, such as an endpoint that can't be reached. */
  isCutShort = false;
  usage: Usage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
  costUsd = 0;

  count(judgement: ModelVerdict['judgement']): number {
    return this.votes.filter((vote) => 'judgement' in vote && vote.judgement === judgement).length;
  }

  pay(usage: Usage, costUsd: number): void {
    this.usage = {
      prompt_tokens: this.usage.prompt_tokens + usage.prompt_tokens,
      completion_tokens: this.usage.completion_tokens + usage.completion_tokens,
      cached_tokens: this.usage.cached_tokens + usage.cached_tokens,
    };
    this.costUsd += costUsd;
  }

  evidence(model: string): JsonObject {
    const votes = this.votes.map((vote): JsonObject => {
      if ('failure' in vote) return { failure: vote.failure, message: cutText(vote.message) };
      const { judgement, rationale, failed_criteria } = vote;
      const criteria = failed_criteria && { failed_criteria: [...failed_criteria] };
      return { judgement, rationale: cutText(rationale, MAX_RATIONALE_CHARS), ...criteria };
    });
    const cutShort = this.isCutShort && { cut_short: true };
    return { model, votes, usage: { ...this.usage }, cost_usd: this.costUsd, ...cutShort };
  }
}

/**
 * Puts a question to a model as often as it has votes, one after the other, until more than half of them agree or can
 * no longer agree.
 *
 * @param work whose question it is; equal questions of one work are votes of their own
 * @throws RecordFailure `unreadable_answer` where the answer alone makes the question too long; `unscored` without a majority, with the votes as evidence and `cut_short` where the model could
 *   not be asked on; `not_cached` as it came
 */
export async function castVotes(
  question: JudgeQuestion,
  model: JudgeModel,
  { work, signal }: { readonly work: TaskWork; readonly signal: AbortSignal },
): Promise<AnswerFinding> {
  const user = dataText(question.data);
  const characters = question.system.length + user.length;
  if (characters > model.maxChars) {
    const message = `the question to the judge has ${characters} characters, more than judge.model.max_chars (${model.maxChars})`;
    const others = question.system.length + dataText({ ...question.data, candidate_answer: '' }).length;
    const cause = others > model.maxChars ? 'unscored' : 'unreadable_answer';
    throw new RecordFailure(cause, message, { characters }, { retryable: false });
  }
  const ballot = new Ballot();
  while (isOpen(ballot, model.votes)) {
    ballot.isCutShort = !(await vote(ballot, question, user, model, work, signal));
    if (ballot.isCutShort) break;
  }
  return findingOf(ballot, model);
}

function isOpen(ballot: Ballot, votes: number): boolean {
  const most = Math.max(ballot.count('correct'), ballot.count('incorrect'));
  const left = votes - ballot.votes.length;
  return left > 0 && most <= votes / 2 && most + left > votes / 2;
}

/** Asks once. False when it makes no sense to ask on. */
async function vote(
  ballot: Ballot,
  { name, system, verdict }: JudgeQuestion,
  user: string,
  { chat, sampling }: JudgeModel,
  work: TaskWork,
  signal: AbortSignal,
): Promise<boolean> {
  let answer: ChatAnswer;
  try {
    const request = {
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: user },
      ],
      response_schema: { name, schema: verdictJsonSchema(verdict) },
      sampling,
    };
    answer = await chat.chat(request, signal, { work, role: 'judge' });
  } catch (error) {
    if (!(error instanceof RecordFailure) || error.failure.cause === 'not_cached') throw error;
    const { cause, message, evidence } = error.failure;
    const usage = usageSchema.safeParse(evidence.usage);
    if (usage.success) ballot.pay(usage.data, 0);
    ballot.votes.push({ failure: cause, message });
    return failuresOfOneVote.includes(cause);
  }
  ballot.pay(answer.usage, answer.cost_usd);
  const read = readVerdict(answer.content, verdict);
  ballot.votes.push(read.ok ? read.verdict : { failure: 'malformed_answer', message: read.error });
  return true;
}

function findingOf(ballot: Ballot, { chat, votes }: JudgeModel): AnswerFinding {
  const [correct, incorrect] = [ballot.count('correct'), ballot.count('incorrect')];
  const evidence = ballot.evidence(chat.model);
  if (Math.max(correct, incorrect) > votes / 2) {
    return { judge: 'model', correct: correct > incorrect, score: correct / (correct + incorrect), evidence };
  }
  throw new RecordFailure('unscored', whyUnscored(ballot, votes), evidence);
}

function whyUnscored(ballot: Ballot, votes: number): string {
  const failures = ballot.votes.flatMap((one) => ('failure' in one ? [one] : []));
  const [correct, incorrect] = [ballot.count('correct'), ballot.count('incorrect')];
  const counted = `${correct} correct, ${incorrect} incorrect, ${failures.length} failed`;
  const first = failures[0] ? `; the first failure: ${cutText(failures[0].message)}` : '';
  return `no majority of ${votes} votes of the judge (${counted})${first}`.replace(/\s+/g, ' ');
}
