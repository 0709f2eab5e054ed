import { stagesAfter } from '../../contract/stageTable.ts';
import type { StageState } from './stageState.ts';

/** Settings that only say which tasks there are: answers to those that were there before are in the cache, if it is there. */
const taskChoice = /^(?:tasks|limit|dedup|decontaminate)(?:\.|$)/;

/**
 * Why going on would ask models again for work that is done, so that money might be spent that nobody thought of:
 * the rollout is stale, and not because other tasks were chosen or because the user asked for it. Undefined where
 * going on is no surprise.
 *
 * @param hasCache false where the answers that were paid for are gone
 */
export function paidRerunReason(states: readonly StageState[], hasCache: boolean): string | undefined {
  const rollout = states.find(({ stage }) => stage === 'rollout');
  if (rollout?.kind !== 'stale') return undefined;
  const early = states.filter(({ stage }) => !stagesAfter('rollout').includes(stage));
  const reasons = early.flatMap((state) => (state.kind === 'stale' ? state.reasons : []));
  if (reasons.some(({ kind }) => kind === 'asked')) return undefined;
  const keys = reasons.flatMap((reason) => (reason.kind === 'settings' ? reason.keys : []));
  const version = reasons.find((reason) => reason.kind === 'version');
  const other = keys.filter((key) => !taskChoice.test(key) && key !== 'filters.duplicate_questions');
  if (other.length > 0) return `other settings (${other.join(', ')})`;
  if (version) return 'another version of a stage';
  return hasCache ? undefined : 'other tasks, and the cache of its answers is gone';
}
