import type { Quality } from './trajectory.ts';

/** Score of an unjudged trajectory: neither right nor wrong. */
const unjudged = 0.5;
/** Penalty of a repeated tool input: below any difference between verdicts. */
const repeatedInputCost = 1e-3;

/**
 * Quality of a trajectory as one number: the mean score of the verdicts on its answer (0 to 1; 0.5 without any),
 * minus a thousandth for each redundant tool input.
 */
export function qualityScore({
  verdicts,
  redundant_tool_inputs,
}: Pick<Quality, 'verdicts' | 'redundant_tool_inputs'>): number {
  const scores = verdicts.filter(({ subject }) => subject === 'answer').map(({ score }) => score);
  const mean = scores.length === 0 ? unjudged : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return mean - repeatedInputCost * redundant_tool_inputs;
}
