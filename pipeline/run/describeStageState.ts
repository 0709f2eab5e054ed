import type { StageState, StaleReason } from './stageState.ts';

/** Most settings that are named; the others are counted. */
const MOST_KEYS = 4;

/** Where a stage stands and why, for people: `stale: other settings (judge.min_f1)`. */
export function describeStageState(state: StageState): string {
  switch (state.kind) {
    case 'done':
      return 'done';
    case 'unbegun':
      return 'to do';
    case 'cut_off':
      return 'goes on';
    case 'stale':
      return `stale: ${state.reasons.map(describeReason).join(', ')}`;
  }
}

function describeReason(reason: StaleReason): string {
  switch (reason.kind) {
    case 'asked':
      return 'asked for with --from';
    case 'inputs':
      return 'input changed';
    case 'version':
      return `version ${reason.was}, now ${reason.now}`;
    case 'settings': {
      const more = reason.keys.length - MOST_KEYS;
      const named = reason.keys.slice(0, MOST_KEYS).join(', ');
      return `other settings (${named}${more > 0 ? ` and ${more} more` : ''})`;
    }
  }
}
