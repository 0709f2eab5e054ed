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

/** Judges an answer that is not a program, or any where the user's own judge does. Equal answers to one question have one finding. */
export type GoldJudge = (answer: string) => Promise<AnswerFinding>;

/** Any of its answers is right; there is at least one, unless the user's own judge is asked. */
type GoldTask = Readonly<Pick<Task, 'domain' | 'question'>> & { readonly answers: readonly string[] };

/** How answers are judged. */
export interface GoldJudgeSettings {
  readonly config: JudgeConfig;
  /** Asked about text answers and instructions where the configuration says so. */
  readonly model: JudgeModel | undefined;
  /** The user's own judge, in place of everything else; absent where there is none. */
  readonly own?: OwnModule | undefined;
  readonly work: TaskWork;
  readonly signal: AbortSignal;
}

/**
 * Creates the judge of the answers to one question: the rule of its domain, and for text what the configuration asks
 * of a model. The judge throws `RecordFailure` (`unreadable_answer` or `unscored`) where there is no verdict.
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

/** What the user's own judge says. Throws `RecordFailure`: `own_code`, or `unscored` where it says that it can't tell. */
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

/** What of the configuration the rules read. */
export type RuleConfig = Pick<JudgeConfig, 'min_f1' | 'number_tolerance'>;

/**
 * Compares an answer that is not a program with the gold ones, of which there must be at least one. Throws
 * `RecordFailure` where the rules can't tell: `unreadable_answer` where they could compare the gold answers with
 * themselves, so that nobody can choose to be unscored; otherwise `unscored`.
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

/** Right by any gold answer, wrong only by all of them. */
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
