import type { Bitset } from '../../base/bitset.ts';
import { byName } from '../../base/counts.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { StageCounts, StageFile } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';
import type { EventLog } from './eventLog.ts';
import { markStaleAfter } from './markStale.ts';
import { writeStageFile } from './stageFiles.ts';
import { discardStage, type StageLog } from './stageLog.ts';
import {
  describeStageState,
  type OpenedStage,
  outdatesLater,
  type RunStage,
  type StageState,
} from './stageState.ts';
import type { StopSignals } from './stopSwitch.ts';
import { countsProblem } from './tally.ts';

/** Watches a run as it goes. */
export interface RunObserver {
  /**
   * A stage begins. `total` is null where it is not known: for a source, and for a stage that works while the one
   * before it does; `done` were finished in earlier sessions; `concurrency` is null for stages that take one record
   * after another.
   */
  stageStarted(
    stage: StageName,
    total: number | null,
    done: number,
    concurrency: (() => number) | null,
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
  readonly until?: StageName;
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

/** A stage under work: its code, what it is to be, and where it stands. */
export interface StageWork {
  readonly opened: OpenedStage;
  readonly wanted: RunStage;
  readonly state: StageState;
  /** The stage whose records go in; undefined for the source. */
  readonly before: StageName | undefined;
  /** The stages after it that work while it does: what they have is made of its records. */
  readonly chained: readonly StageName[];
  /** As in `stage.json`. */
  readonly indexOf: StageFile['index_of'];
}

/** What `stage.json` says of a stage besides how far it is. */
function identityOf({ opened, wanted, indexOf }: StageWork) {
  const { stage, configHash, settings } = wanted;
  const { version } = opened.stage;
  return { stage, version, config_hash: configHash, settings, ...(indexOf && { index_of: indexOf }) };
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

/** Says on disk and to those who watch that a stage is at work; `total` as in {@link RunObserver}. */
export async function beginStage(
  { runFolder, events, observer }: RunStagesOptions,
  work: StageWork,
  log: StageLog,
  total: number | null,
): Promise<void> {
  const { stage } = work.wanted;
  const { opened } = work;
  const done = log.finishedInputs;
  await writeStageFile(runFolder, { ...identityOf(work), complete: false, ...log.counts(total ?? 0) });
  events.write({ event: 'stage_started', stage, pending: total === null ? null : total - done });
  observer.stageStarted(stage, total, done, opened.kind === 'record' ? () => opened.stage.concurrency : null);
}

/**
 * Marks a stage as complete, its counts having been checked; one whose work is worthless is discarded instead.
 *
 * @throws Error when the counts do not add up, and why the work is worthless
 */
export async function finishStage(
  { runFolder, events, observer, worthless, log }: RunStagesOptions,
  work: StageWork,
  counts: StageCounts,
): Promise<void> {
  const { stage } = work.wanted;
  const problem = countsProblem(stage, counts);
  if (problem) throw new Error(`counts do not add up: ${problem}`);
  if (work.opened.kind === 'record') await work.opened.stage.finish?.();
  const reason = await worthless?.(stage, counts);
  if (reason) {
    for (const name of [stage, ...work.chained]) await discardStage(runFolder, name);
    throw reason;
  }
  const remarks = byName((work.opened.kind === 'source' && work.opened.stage.remarks) || []);
  for (const [code, rows] of Object.entries(remarks)) log(`${stage}: ${code} in ${rows} rows`);
  const remarked = Object.keys(remarks).length > 0 ? { remarks } : {};
  await writeStageFile(runFolder, { ...identityOf(work), complete: true, ...counts, ...remarked });
  events.write({ event: 'stage_finished', stage, counts });
  observer.stageFinished(stage, counts);
}
