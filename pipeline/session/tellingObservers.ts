import type { CallObserver } from '../../contract/calls.ts';
import { describeStageState } from '../run/describeStageState.ts';
import type { RunObserver } from '../run/runStages.ts';
import type { SessionObserver } from './sessionObserver.ts';

/** Hears of calls what a session's observer wants to hear. */
export function asCallObserver(observer: SessionObserver): CallObserver {
  return {
    modelCall: (call) => observer.modelCall?.(call),
    toolCall: (call) => observer.toolCall?.(call),
  };
}

/** Says why a stage is rerun before it is. */
export function logDiscards(observer: RunObserver, log: (line: string) => void): RunObserver {
  return {
    stageStarted: (...begun) => observer.stageStarted(...begun),
    stageFinished: (...ended) => observer.stageFinished(...ended),
    outcome: (...ended) => observer.outcome(...ended),
    stageDiscarded(state) {
      log(`${state.stage.padEnd(8)} ${describeStageState(state)}`);
      observer.stageDiscarded?.(state);
    },
  };
}
