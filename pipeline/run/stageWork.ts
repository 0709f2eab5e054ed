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

/** Rollouts that are to come, in the order in which they begin. */
export interface PendingRollouts {
  /** Their places among the inputs of the stage. */
  readonly places: readonly number[];
  readonly profiles: readonly string[];
}

/** Watches a run as it goes. */
export interface RunObserver {
  /**
   * A stage begins. `total` is null where it is not known: for a source, and for a stage that works while the one
   * before it does; `done` were finished in earlier sessions; `concurrency` is null for stages that take one record
   * after another. Where tasks are rolled out, and it is known how often, `pending` reads which rollouts are to come.
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
  /** A window of a target has ended; `more` tasks are in the next, absent after the last. */
  windowEnded?(target: TargetFile, more: number | undefined): void;
}

/** A run, and who watches and stops it. */
export interface RunStagesOptions {
  readonly runFolder: string;
  /** All stages of the run, in order; the first is a source. */
  readonly stages: readonly RunStage[];
  /** The last stage to run. */
  readonly until?: StageName | undefined;
  /** The places of the inputs that a stage is to work on; absent: on all. */
  readonly chosen?: { readonly stage: StageName; readonly places: Bitset };
  readonly stop: StopSignals;
  readonly events: EventLog;
  readonly observer: RunObserver;
  /** Told why a stage is rerun, before it is. */
  readonly log: (line: string) => void;
  /** Why a finished stage's work is worthless, for instance an endpoint that was never there; it is then pending again. */
  readonly worthless?: (stage: StageName, counts: StageCounts) => Promise<Error | undefined>;
}

/** A stage that has work: its code, what it is to be, and where it stands. */
export interface StageWork {
  readonly opened: OpenedStage;
  readonly wanted: RunStage;
  readonly state: StageState;
  /** The stage whose records go in; undefined for the source. */
  readonly before: StageName | undefined;
}

/** Discards what a stage made that can no longer be used. */
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
