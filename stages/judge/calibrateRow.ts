import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { cohensKappa } from '../../base/statistics/agreement.ts';
import { failureOf } from '../../contract/errors.ts';
import { nothingUsed, type Usage } from '../../schemas/chat.ts';
import type { CalibratedJudge, CalibrationRow, JudgeAgreement } from '../../schemas/judgeCalibration.ts';
import type { AnswerFinding } from './answerFinding.ts';
import { castVotes, type JudgeModel } from './castVotes.ts';
import { compareWithGold, type RuleConfig } from './createGoldJudge.ts';
import { answerQuestion } from './judgeQuestion.ts';

/** Result of one judge for one answer, with its cost. */
export interface JudgedRow {
  readonly judged: Judged;
  /** In one line. */
  readonly why: string;
  /** True if its model could not be asked. */
  readonly isCutShort: boolean;
  readonly usage: Usage;
  readonly costUsd: number;
}

/** Results of the rules and, if configured, the model for a row; the model judges text only. */
export interface CalibratedRow {
  readonly rule: JudgedRow;
  readonly model: JudgedRow | undefined;
}

/** Judges a labelled answer without seeing the label. Throws `RecordFailure` (`not_cached`) and stops. */
export async function calibrateRow(
  { question, answers, prediction, domain }: CalibrationRow,
  judges: {
    readonly config: RuleConfig;
    readonly model: JudgeModel | undefined;
    readonly signal: AbortSignal;
  },
): Promise<CalibratedRow> {
  const { config, model, signal } = judges;
  const rule = { ...judged(() => compareWithGold(prediction, { domain, answers }, config)), ...noCost };
  if (!model) return { rule, model: undefined };
  if (domain !== 'qa') return { rule, model: rule };
  const work = { task_id: contentId('task', { question, answers, domain }) };
  const asked = answerQuestion(question, answers, prediction);
  try {
    const ballot = await castVotes(asked, model, { work, signal });
    const { usage, costUsd, isCutShort } = ballot;
    return { rule, model: { ...judged(() => ballot.finding()), usage, costUsd, isCutShort } };
  } catch (error) {
    return { rule, model: { ...unscoredBy(error), ...noCost } };
  }
}

const noCost = { isCutShort: false, usage: nothingUsed, costUsd: 0 };

function judged(judge: () => AnswerFinding): Pick<JudgedRow, 'judged' | 'why'> {
  try {
    const { correct, evidence } = judge();
    return { judged: correct ? 'correct' : 'incorrect', why: whyOf(evidence) };
  } catch (error) {
    return unscoredBy(error);
  }
}

/** Rethrows errors unrelated to the row. */
function unscoredBy(error: unknown): Pick<JudgedRow, 'judged' | 'why'> {
  const { cause, message } = failureOf(error);
  if (cause !== 'unscored' && cause !== 'unreadable_answer') throw error;
  return { judged: 'unscored', why: message };
}

/** Rationale of the model, or the deciding comparison of the rule. */
function whyOf({ votes, compared, method }: JsonObject): string {
  const [said] = Array.isArray(votes)
    ? votes.filter((vote) => isJsonObject(vote) && 'rationale' in vote)
    : [];
  if (isJsonObject(said)) return String(said.rationale);
  const methods = Array.isArray(compared) ? compared.map((one) => isJsonObject(one) && one.method) : [method];
  return `compared by ${methods.join(', ')}`;
}

/** Judgement of an answer. */
export type Judged = 'correct' | 'incorrect' | 'unscored';

/** Counts agreement of a judge with labels. */
export class Agreement {
  readonly #judge: CalibratedJudge;
  readonly #counts = {
    true_correct: 0,
    false_correct: 0,
    true_incorrect: 0,
    false_incorrect: 0,
    unscored: 0,
  };
  readonly #spent = { cost_usd: 0, prompt_tokens: 0, completion_tokens: 0 };

  constructor(judge: CalibratedJudge) {
    this.#judge = judge;
  }

  /** Adds an answer: the human label, the judge's result, and its cost. */
  add(label: boolean, { judged, usage, costUsd }: Pick<JudgedRow, 'judged' | 'usage' | 'costUsd'>): void {
    const isTrue = label === (judged === 'correct');
    this.#counts[judged === 'unscored' ? judged : (`${isTrue}_${judged}` as const)] += 1;
    this.#spent.cost_usd += costUsd;
    this.#spent.prompt_tokens += usage.prompt_tokens;
    this.#spent.completion_tokens += usage.completion_tokens;
  }

  /** Counts and derived figures. */
  result(): JudgeAgreement {
    const { true_correct, false_correct, true_incorrect, false_incorrect } = this.#counts;
    return {
      judge: this.#judge,
      ...this.#counts,
      precision: share(true_correct, true_correct + false_correct),
      recall: share(true_correct, true_correct + false_incorrect),
      f1: share(2 * true_correct, 2 * true_correct + false_correct + false_incorrect),
      kappa: cohensKappa([
        [true_correct, false_correct],
        [false_incorrect, true_incorrect],
      ]),
      ...this.#spent,
    };
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
