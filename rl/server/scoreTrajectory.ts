import type { OwnModule } from '../../base/programs/ownModule.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { answerText, lastBoxed } from '../../schemas/coa/answers.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import { isOfPlayer } from '../../schemas/failureCauses.ts';
import { type RewardExpression, rewardOf } from '../../schemas/rl/rewardExpression.ts';
import type { RlFault, RlScoreAnswer, RlScoreRequest } from '../../schemas/rl/score.ts';
import type { Task } from '../../schemas/task.ts';
import type { AnswerFinding } from '../../stages/judge/answerFinding.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { createGoldJudge } from '../../stages/judge/createGoldJudge.ts';
import { findingAbout, type JudgeSettings } from '../../stages/judge/judgeAnswer.ts';
import { type RewardPart, rewardParts } from '../rewardPresets.ts';
import type { RlRewardsConfig } from '../rewardsConfig.ts';
import type { OpenedReward } from './customReward.ts';
import type { PlayedTask } from './nextStep.ts';
import { hasInvented, type PlayedRlStep, playedSteps } from './playedSteps.ts';
import { measuredParts } from './rewardParts.ts';

/** What trajectories are scored with. */
export interface ScoreParts extends Pick<JudgeSettings, 'sandbox' | 'testStore'> {
  readonly judge: JudgeConfig;
  readonly judgeModel: JudgeModel | undefined;
  /** The module of `judge.module`; undefined where there is none. */
  readonly ownJudge?: OwnModule | undefined;
  readonly reward: RewardExpression;
  /** What of a verdict counts as `correctness`. */
  readonly correctness: RlRewardsConfig['correctness'];
  readonly custom: ReadonlyMap<string, OpenedReward>;
  readonly maxSteps: number;
}

interface Correctness {
  /** Null where nobody could judge it. */
  readonly value: number | null;
  readonly judge: string | null;
  readonly fault: RlFault | null;
}

/** Scores a finished trajectory. What can't be judged, or is not known for another reason, is unscored and never 0. */
export async function scoreTrajectory(
  request: RlScoreRequest,
  { task, profile }: PlayedTask,
  parts: ScoreParts,
  signal: AbortSignal,
): Promise<RlScoreAnswer> {
  const steps = playedSteps(profile, request.segments);
  const answer = finalAnswer(steps, request, task);
  const { value, judge, fault } = await correctness({ answer, steps, task }, parts, signal);
  const measured = measuredParts(profile, request, steps, parts.maxSteps);
  const own = { correctness: value, ...measured };
  const custom = await customParts({ request, task, answer, own }, parts, signal);
  const all = { ...inOrder(own), ...custom.scores };
  const unscored = fault ?? custom.fault;
  return {
    score: unscored ? null : rewardOf(parts.reward, all),
    parts: all,
    answer,
    judge,
    events: steps.flatMap(({ events }) => events),
    unscored,
  };
}

function inOrder(own: Readonly<Record<RewardPart, number | null>>): Record<string, number | null> {
  return Object.fromEntries(rewardParts.map((name) => [name, own[name]]));
}

/** What the last step answers; null where it does not end with an answer, or the loop ended it otherwise. */
function finalAnswer(
  steps: readonly PlayedRlStep[],
  { segments, end_reason }: RlScoreRequest,
  { domain }: Task,
): string | null {
  const end = steps.at(-1)?.end;
  if (end?.kind !== 'answer' || end_reason !== 'answer' || segments.at(-1)?.origin !== 'model') return null;
  return hasSeveral(domain, end.body) ? null : answerText(domain, end.body);
}

/** Several results in one answer of mathematics are none: one of them might be right. */
function hasSeveral(domain: Task['domain'], body: string): boolean {
  if (domain !== 'math') return false;
  const results = body
    .split(/\\boxed\s*\{/)
    .slice(1)
    .map((rest) => lastBoxed(`\\boxed{${rest}`)?.trim());
  return new Set(results).size > 1;
}

const wrong = (judge: string | null): Correctness => ({ value: 0, judge, fault: null });

/** Characters of an answer that is not a program; a longer one is wrong, whatever a judge would make of it. */
const MAX_ANSWER_CHARS = 20_000;

async function correctness(
  {
    answer,
    steps,
    task,
  }: { readonly answer: string | null; readonly steps: readonly PlayedRlStep[]; readonly task: Task },
  { judge, judgeModel, ownJudge, sandbox, testStore, correctness: counted }: ScoreParts,
  signal: AbortSignal,
): Promise<Correctness> {
  if (answer === null || answer === '' || hasInvented(steps)) return wrong(null);
  if (task.domain !== 'code' && answer.length > MAX_ANSWER_CHARS) return wrong(null);
  const work = { task_id: task.id };
  const goldJudge = createGoldJudge(task, { config: judge, model: judgeModel, own: ownJudge, work, signal });
  try {
    const finding = await findingAbout(answer, task, {
      config: judge,
      sandbox,
      testStore,
      goldJudge,
      signal,
    });
    return { value: countedBy(finding, counted), judge: finding.judge, fault: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RecordFailure)) throw error;
    const { cause, message, retryable } = error.failure;
    if (isOfPlayer(cause)) return wrong(null);
    return { value: null, judge: null, fault: { cause, message, retryable } };
  }
}

function countedBy({ correct, score }: AnswerFinding, by: RlRewardsConfig['correctness']): number {
  return by === 'score' ? score : correct ? 1 : 0;
}

interface ToldTrajectory {
  readonly request: RlScoreRequest;
  readonly task: Task;
  readonly answer: string | null;
  readonly own: Readonly<Record<string, number | null>>;
}

async function customParts(
  { request, task, answer, own }: ToldTrajectory,
  { custom }: ScoreParts,
  signal: AbortSignal,
): Promise<{ readonly scores: Record<string, number | null>; readonly fault: RlFault | null }> {
  const { id, question, answers, domain, profile } = task;
  const told = { ...request, task: { id, question, answers, domain, profile }, answer, parts: own };
  const scores: Record<string, number | null> = {};
  let fault: RlFault | null = null;
  for (const [name, ask] of custom) {
    scores[name] = await ask(told, signal).catch((error: Error) => {
      signal.throwIfAborted();
      fault = { cause: 'reward', message: error.message, retryable: true };
      return null;
    });
  }
  return { scores, fault };
}
