import { type FailureCause, isOfPlayer } from './failureCauses.ts';
import { isJudgedCorrect, type Quality } from './trajectory.ts';

/**
 * How a try at a task counts in a pass rate: the one definition for a run's own rates (select, the choice for
 * reinforcement learning, card, report), the probe and evaluations. What is the player's own is `wrong`: a wrong answer,
 * none within its limits, a malformed one, one that can't be read. What is not is `unscored` and in no rate: a failure of
 * the endpoint, a tool, the sandbox or the judge. The rate is right / (right + wrong).
 */
export type TryResult = 'right' | 'wrong' | 'unscored';

/**
 * Result of a try that failed before or during judging. The table of causes (failureCauses.ts) attributes each cause.
 */
export function resultOfCause(cause: FailureCause): 'wrong' | 'unscored' {
  return isOfPlayer(cause) ? 'wrong' : 'unscored';
}

/** Result of a judged try: unscored without a verdict on its answer. */
export function resultOfJudged(judged: { readonly quality: Pick<Quality, 'verdicts'> }): TryResult {
  if (!judged.quality.verdicts.some(({ subject }) => subject === 'answer')) return 'unscored';
  return isJudgedCorrect(judged) ? 'right' : 'wrong';
}

/** Tries at a task by result, as in files of pass rates. */
export interface TryCounts {
  passed: number;
  /** Right and wrong tries. */
  samples: number;
  unscored: number;
  /** Wrong tries without an answer. */
  without_answer: number;
}

/** Zero counts. */
export function noTries(): TryCounts {
  return { passed: 0, samples: 0, unscored: 0, without_answer: 0 };
}

/** Counts a try. `isAnswered` is false if it failed before a verdict. */
export function addTry(to: TryCounts, result: TryResult, isAnswered: boolean): void {
  to.passed += Number(result === 'right');
  to.samples += Number(result !== 'unscored');
  to.unscored += Number(result === 'unscored');
  to.without_answer += Number(result === 'wrong' && !isAnswered);
}

/** Pass rate: share of right ones among the scored tries; undefined without any. */
export function passRateOf({ passed, samples }: Pick<TryCounts, 'passed' | 'samples'>): number | undefined {
  return samples === 0 ? undefined : passed / samples;
}
