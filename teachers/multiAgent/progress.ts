import { toolCalls } from './keepPromises.ts';
import type { TeamState } from './teamState.ts';

/** Remaining steps from which the orchestrator is told their number. */
const WARN_AT_STEPS = 8;

/** State of the work for the role that selects the next action. */
export function progress(state: TeamState, mustFinish: boolean): string {
  return [done(state), ...leftOut(state), ...hurry(state.stepsLeft, mustFinish)].join(' ');
}

function done({ turns, promises }: TeamState): string {
  const { count = 'tools', least = 0 } = promises?.interactions ?? {};
  const [what, so] =
    count === 'tools' ? (['Tool calls', toolCalls(turns)] as const) : (['Actions', turns.length] as const);
  // An answer is itself an action.
  const reached = so + (count === 'tools' ? 0 : 1) >= least;
  if (least === 0) return `${what} so far: ${so}.`;
  return `${what} so far: ${so} of at least ${least}${reached ? '. If a result already contains the answer, answer now' : ''}.`;
}

function leftOut({ exhausted = [] }: TeamState): string[] {
  return exhausted.map((tool) => `${tool} can't be chosen now: its inputs were used before.`);
}

function hurry(stepsLeft: number, mustFinish: boolean): string[] {
  if (mustFinish)
    return [`Only ${stepsLeft} actions are left: only those that still lead to an answer can be chosen.`];
  return stepsLeft <= WARN_AT_STEPS ? [`Only ${stepsLeft} actions are left.`] : [];
}
