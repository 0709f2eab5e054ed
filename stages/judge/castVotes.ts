import type { JsonObject } from '../../base/json.ts';
import type { TaskWork } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, Sampling } from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import { dataText } from '../../contract/prompting.ts';
import { nothingUsed, type Usage, usageOfAll } from '../../schemas/chat.ts';
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
  readonly #model: JudgeModel;
  readonly votes: Vote[] = [];
  /** True once a vote failed in a way that the next would too, such as an endpoint that can't be reached. */
  isCutShort = false;
  usage: Usage = nothingUsed;
  /** US dollars. */
  costUsd = 0;

  constructor(model: JudgeModel) {
    this.#model = model;
  }

  count(judgement: ModelVerdict['judgement']): number {
    return this.votes.filter((vote) => 'judgement' in vote && vote.judgement === judgement).length;
  }

  pay(usage: Usage, costUsd: number): void {
    this.usage = usageOfAll([this.usage, usage]);
    this.costUsd += costUsd;
  }

  /** What the majority says. Throws `RecordFailure` (`unscored`) without one. */
  finding(): AnswerFinding {
    const { chat, votes } = this.#model;
    const [correct, incorrect] = [this.count('correct'), this.count('incorrect')];
    const evidence = this.#evidence(chat.model);
    if (Math.max(correct, incorrect) > votes / 2) {
      return {
        judge: 'model',
        correct: correct > incorrect,
        score: correct / (correct + incorrect),
        evidence,
      };
    }
    const cutShort = this.isCutShort ? ({ cut_short: true } as const) : {};
    throw new RecordFailure('unscored', this.#whyUnscored(votes), evidence, cutShort);
  }

  #evidence(model: string): JsonObject {
    const votes = this.votes.map((vote): JsonObject => {
      if ('failure' in vote) return { failure: vote.failure, message: cutText(vote.message) };
      const { judgement, rationale, failed_criteria } = vote;
      const criteria = failed_criteria && { failed_criteria: [...failed_criteria] };
      return { judgement, rationale: cutText(rationale, MAX_RATIONALE_CHARS), ...criteria };
    });
    return { model, votes, usage: { ...this.usage }, cost_usd: this.costUsd };
  }

  #whyUnscored(votes: number): string {
    const failures = this.votes.flatMap((one) => ('failure' in one ? [one] : []));
    const counted = `${this.count('correct')} correct, ${this.count('incorrect')} incorrect, ${failures.length} failed`;
    const first = failures[0] ? `; the first failure: ${cutText(failures[0].message)}` : '';
    return `no majority of ${votes} votes of the judge (${counted})${first}`.replace(/\s+/g, ' ');
  }
}

/** Whose question it is; equal questions of one work are votes of their own. */
interface VoteScope {
  readonly work: TaskWork;
  readonly signal: AbortSignal;
}

/**
 * The verdict of a model on a question.
 *
 * @throws RecordFailure as {@link holdBallot}; `unscored` without a majority, with the votes as evidence, and
 *   `cut_short` where the model could not be asked on
 */
export async function castVotes(
  question: JudgeQuestion,
  model: JudgeModel,
  scope: VoteScope,
): Promise<AnswerFinding> {
  return (await holdBallot(question, model, scope)).finding();
}

/**
 * Puts a question to a model as often as it has votes, one after the other, until more than half of them agree or can
 * no longer agree.
 *
 * @throws RecordFailure `unreadable_answer` where the answer alone makes the question too long, `unscored` where the
 *   rest does; `not_cached` as it came
 */
export async function holdBallot(
  question: JudgeQuestion,
  model: JudgeModel,
  scope: VoteScope,
): Promise<Ballot> {
  const user = dataText(question.data);
  const characters = question.system.length + user.length;
  if (characters > model.maxChars) {
    const message = `the question to the judge has ${characters} characters, more than judge.model.max_chars (${model.maxChars})`;
    const others = question.system.length + dataText({ ...question.data, candidate_answer: '' }).length;
    const cause = others > model.maxChars ? 'unscored' : 'unreadable_answer';
    throw new RecordFailure(cause, message, { characters }, { retryable: false });
  }
  const ballot = new Ballot(model);
  while (isOpen(ballot, model.votes) && !ballot.isCutShort)
    ballot.isCutShort = !(await vote(ballot, { question, user, model, scope }));
  return ballot;
}

function isOpen(ballot: Ballot, votes: number): boolean {
  const most = Math.max(ballot.count('correct'), ballot.count('incorrect'));
  const left = votes - ballot.votes.length;
  return left > 0 && most <= votes / 2 && most + left > votes / 2;
}

interface VoteRequest {
  readonly question: JudgeQuestion;
  /** Its data as one text. */
  readonly user: string;
  readonly model: JudgeModel;
  readonly scope: VoteScope;
}

/** Asks once. False when it makes no sense to ask on. */
async function vote(ballot: Ballot, { question, user, model, scope }: VoteRequest): Promise<boolean> {
  const { name, system, verdict } = question;
  let answer: ChatAnswer;
  try {
    const request = {
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: user },
      ],
      response_schema: { name, schema: verdictJsonSchema(verdict) },
      sampling: model.sampling,
    };
    answer = await model.chat.chat(request, scope.signal, { work: scope.work, role: 'judge' });
  } catch (error) {
    if (!(error instanceof RecordFailure) || error.failure.cause === 'not_cached') throw error;
    const { cause, message } = error.failure;
    if (error instanceof WithheldAnswer && error.answer.usage) ballot.pay(error.answer.usage, 0);
    ballot.votes.push({ failure: cause, message });
    return failuresOfOneVote.includes(cause);
  }
  ballot.pay(answer.usage, answer.cost_usd);
  const read = readVerdict(answer.content, verdict);
  ballot.votes.push(read.ok ? read.verdict : { failure: 'malformed_answer', message: read.error });
  return true;
}
