import type { Bitset } from '../../base/bitset.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';
import type { EventLog } from './eventLog.ts';
import { markStaleAfter } from './markStale.ts';
import { discardStage } from './stageLog.ts';
import {
  describeStageState,
  type OpenedStage,
  outdatesLater,
  type RunStage,
  type StageState,
} from './stageState.ts';
import type { StopSignals } from './stopSwitch.ts';

/** Pending rollouts in start order. */
export interface PendingRollouts {
  /** Indexes among the inputs of the stage. */
  readonly places: readonly number[];
  readonly profiles: readonly string[];
}

export interface RunObserver {
  /**
   * Called when a stage begins. `total` is null if unknown: for a source, and in a chain; `done` were finished in
   * earlier sessions; `concurrency` is null for sequential stages. `pending` lists the rollouts to come if their number
   * is known.
   */
  stageStarted(
    stage: StageName,
    total: number | null,
    done: number,
    concurrency: (() => number) | null,
    pending?: () => Promise<PendingRollouts>,
  ): void;
  outcome(stage: StageName, outcome: CorpusOutcome<unknown>): void;
  stageFinished(stage: StageName, counts: StageCounts): void;
  /** Called when a window of a target has ended; `more` is the size of the next, absent after the last. */
  windowEnded?(target: TargetFile, more: number | undefined): void;
}

export interface RunStagesOptions {
  readonly runFolder: string;
  /** All stages of the run in order; the first is a source. */
  readonly stages: readonly RunStage[];
  readonly until?: StageName | undefined;
  /** Input indexes that a stage is limited to. Default: all. */
  readonly chosen?: { readonly stage: StageName; readonly places: Bitset };
  readonly stop: StopSignals;
  readonly events: EventLog;
  readonly observer: RunObserver;
  /** Receives the reason before a stage is rerun. */
  readonly log: (line: string) => void;
  /** Checks a finished stage; an error, such as an unreachable endpoint, makes it pending again. */
  readonly worthless?: (stage: StageName, counts: StageCounts) => Promise<Error | undefined>;
}

export interface StageWork {
  readonly opened: OpenedStage;
  readonly wanted: RunStage;
  readonly state: StageState;
  /** Stage that provides the inputs; undefined for the source. */
  readonly before: StageName | undefined;
}

export async function discardOutdated(
  { runFolder, events, log }: RunStagesOptions,
  { opened, state }: StageWork,
): Promise<void> {
  const { name } = opened.stage;
  if (outdatesLater(state)) await markStaleAfter(runFolder, name);
  if (state.kind === 'stale' || opened.kind !== 'record') await discardStage(runFolder, name);
  if (state.kind !== 'stale') return;
  events.write({ event: 'stage_discarded', stage: name, reasons: state.reasons.map(({ kind }) => kind) });
  log(`${name.padEnd(8)} ${describeStageState(state)}`);
}
