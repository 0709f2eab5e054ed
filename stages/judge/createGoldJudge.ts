import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';
import type { OwnModule } from '../../base/programs/ownModule.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import {
  askOwnCode,
  type OwnJudgeQuestion,
  type OwnVerdict,
  ownCodeFailure,
} from '../../contract/ownCode.ts';
import { judgeText, undecidedTexts } from '../../schemas/answers/judgeText.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import type { Task } from '../../schemas/task.ts';
import { type AnswerFinding, cutText, undecided } from './answerFinding.ts';
import { castVotes, type JudgeModel } from './castVotes.ts';
import { answerQuestion } from './judgeQuestion.ts';
import { judgeMath } from './math/judgeMath.ts';

/**
 * Judges an answer that is not a program, or any answer with a user judge. Equal answers to a question share one
 * finding.
 */
export type GoldJudge = (answer: string) => Promise<AnswerFinding>;

/** Any of its answers is right; at least one is required, unless the user's judge decides. */
type GoldTask = Readonly<Pick<Task, 'domain' | 'question'>> & { readonly answers: readonly string[] };

/** Settings of answer judging. */
export interface GoldJudgeSettings {
  readonly config: JudgeConfig;
  /** Model for text answers and instructions, if configured. */
  readonly model: JudgeModel | undefined;
  /** User judge that replaces all others; absent without one. */
  readonly own?: OwnModule | undefined;
  readonly work: TaskWork;
  readonly signal: AbortSignal;
}

/**
 * Creates the judge of answers to one question: the rule of its domain, and for text the configured model. The judge
 * throws `RecordFailure` (`unreadable_answer` or `unscored`) without a verdict.
 */
export function createGoldJudge(task: GoldTask, settings: GoldJudgeSettings): GoldJudge {
  const findings = new Map<string, Promise<AnswerFinding>>();
  return (answer) => {
    const finding = findings.get(answer) ?? findingAbout(answer, task, settings);
    findings.set(answer, finding);
    return finding;
  };
}

async function findingAbout(
  answer: string,
  task: GoldTask,
  { config, model, own, work, signal }: GoldJudgeSettings,
): Promise<AnswerFinding> {
  if (own) return ownFinding(own, answer, task, signal);
  if (task.domain !== 'qa' || config.text === 'rule') return compareWithGold(answer, task, config);
  const { finding: rule } = compareTexts(answer, task.answers, config);
  if (config.text === 'rule_then_model' && rule.correct) return rule;
  if (!model) throw undecided('the run has no model to judge text answers');
  const question = answerQuestion(task.question, task.answers, answer);
  const finding = (await castVotes(question, model, { work, signal })).finding();
  const { judge, correct, score } = rule;
  return { ...finding, evidence: { ...finding.evidence, rule: { judge, correct, score, ...rule.evidence } } };
}

const ownVerdictSchema = z.union([
  z.boolean().transform((correct) => ({ correct })),
  z.strictObject({
    correct: z.boolean(),
    score: z.number().min(0).max(1).optional(),
    evidence: jsonObjectSchema.optional(),
  }),
]);

/** Finding of the user's judge. Throws `RecordFailure`: `own_code`, or `unscored` if it is undecided. */
async function ownFinding(
  own: OwnModule,
  answer: string,
  { domain, question, answers }: GoldTask,
  signal: AbortSignal,
): Promise<AnswerFinding> {
  const asked: OwnJudgeQuestion = { domain, question, answers, answer };
  const said = await askOwnCode(own, { ...asked }, signal);
  if (said === null) throw undecided("judge.module can't tell");
  const parsed = ownVerdictSchema.safeParse(said);
  if (!parsed.success)
    throw ownCodeFailure(
      `judge.module: expected true, false, null or {correct, score, evidence}, got ${JSON.stringify(said).slice(0, 100)}`,
    );
  const { correct, score = correct ? 1 : 0, evidence = {} } = parsed.data as OwnVerdict;
  return { judge: 'own', correct, score, evidence };
}

/** Configuration keys that the rules read. */
export type RuleConfig = Pick<JudgeConfig, 'min_f1' | 'number_tolerance'>;

/**
 * Compares an answer that is not a program with at least one gold answer. Throws `RecordFailure` if undecided:
 * `unreadable_answer` if the gold answers compare with themselves, so that unreadable answers cannot avoid a score;
 * otherwise `unscored`.
 */
export function compareWithGold(
  answer: string,
  { domain, answers }: Pick<GoldTask, 'domain' | 'answers'>,
  config: RuleConfig,
): AnswerFinding {
  if (domain === 'math') return mathFinding(answer, answers, config);
  const { finding, undecided } = compareTexts(answer, answers, config);
  if (!undecided) return finding;
  const why = `the rule of text can't tell: ${undecidedTexts[undecided]}; a model decides with judge.text: rule_then_model`;
  throw new RecordFailure('unreadable_answer', why, finding.evidence);
}

function compareTexts(
  answer: string,
  golds: readonly string[],
  config: RuleConfig,
): { readonly finding: AnswerFinding; readonly undecided: keyof typeof undecidedTexts | undefined } {
  const settings = { minF1: config.min_f1, numberTolerance: config.number_tolerance };
  const { correct, score, matches } = judgeText(answer, golds, settings);
  const compared = matches.map(({ prediction, gold, method }) => ({
    prediction: cutText(prediction),
    closest: cutText(gold),
    method,
  }));
  const undecided = correct ? undefined : matches.find((match) => match.undecided)?.undecided;
  return { finding: { judge: 'exact_match', correct, score, evidence: { compared } }, undecided };
}

/** Right if any gold answer matches, wrong only if none does. */
function mathFinding(answer: string, golds: readonly string[], config: RuleConfig): AnswerFinding {
  const findings = golds.map((gold) => ({ gold, ...judgeMath(answer, gold, config.number_tolerance) }));
  const found =
    findings.find(({ judgement }) => judgement === 'correct') ??
    findings.find((one) => one.judgement === 'undecided' && !one.isOfAnswer) ??
    findings.find(({ judgement }) => judgement === 'undecided') ??
    findings[0]!;
  const pair = { prediction: cutText(answer), gold: cutText(found.gold) };
  if (found.judgement === 'undecided') {
    const why = `the rule of mathematics can't tell: ${found.reason}`;
    throw found.isOfAnswer ? new RecordFailure('unreadable_answer', why, pair) : undecided(why, pair);
  }
  const correct = found.judgement === 'correct';
  const evidence = { ...pair, method: found.method };
  return { judge: 'number', correct, score: correct ? 1 : 0, evidence };
}
