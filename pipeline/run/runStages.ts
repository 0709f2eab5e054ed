import type { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import type { EventLog } from './eventLog.ts';
import { markStaleAfter } from './markStale.ts';
import { readStageState } from './readStageStates.ts';
import { writeStageFile } from './stageFiles.ts';
import { StageInputs } from './stageInputs.ts';
import { discardStage, StageLog } from './stageLog.ts';
import { recordStream, runRecordStage } from './stageRunner.ts';
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
   * A stage begins. `total` is null for a source, which does not know its length; `done` were finished in earlier
   * sessions; `concurrency` is null for stages that take one record after another.
   */
  stageStarted(stage: StageName, total: number | null, done: number, concurrency: number | null): void;
  outcome(stage: StageName, outcome: CorpusOutcome<unknown>): void;
  stageFinished(stage: StageName, counts: StageCounts): void;
}

/** A run, and who watches and stops it. */
interface RunStagesOptions {
  readonly runFolder: string;
  /** All stages of the run, in order; the first is a source. */
  readonly stages: readonly RunStage[];
  /** The last stage to run. */
  readonly until?: StageName;
  readonly stop: StopSignals;
  readonly events: EventLog;
  readonly observer: RunObserver;
  /** Told why a stage is rerun, before it is. */
  readonly log: (line: string) => void;
  /** Why a finished stage's work is worthless, for instance an endpoint that was never there; it is then pending again. */
  readonly worthless?: (stage: StageName, counts: StageCounts) => Promise<Error | undefined>;
}

/** A stage under work: its code, and what it is to be. */
interface StageWork {
  readonly opened: OpenedStage;
  readonly wanted: RunStage;
  /** The stage whose records go in; undefined for the source. */
  readonly before: StageName | undefined;
}

/**
 * Runs the stages that are pending, each over the whole output of the one before. A stage that was cut off is resumed where
 * it stopped when it looks at one record at a time, and starts again when it needs to see all; what a stale stage made
 * is discarded when it begins.
 *
 * @returns how many stages were worked on
 * @throws Error when the counts of a stage do not add up
 */
export async function runStages(options: RunStagesOptions): Promise<number> {
  const { runFolder, stages, until, stop } = options;
  let before: StageState | undefined;
  let worked = 0;
  for (const wanted of stages) {
    const state: StageState = await readStageState(runFolder, wanted, before);
    if (state.kind !== 'done') {
      stop.drain.throwIfAborted();
      await runStage(options, { opened: workOf(wanted, runFolder), wanted, before: before?.stage }, state);
      worked++;
    }
    if (wanted.stage === until) break;
    before = { stage: wanted.stage, kind: 'done' };
  }
  return worked;
}

function workOf({ stage, opened }: RunStage, runFolder: string): OpenedStage {
  if (opened) return opened;
  throw new UserError(
    `${runFolder}: the records of ${stage} were taken over from another run and are no longer complete; remove the folder and make it again`,
  );
}

async function runStage(options: RunStagesOptions, work: StageWork, state: StageState): Promise<void> {
  const { runFolder } = options;
  const { opened, before } = work;
  if (opened.kind === 'record') await opened.stage.prepare?.();
  // Before anything is discarded: damaged inputs stop it.
  const inputs = before === undefined ? undefined : await StageInputs.open(runFolder, before);
  let counts: StageCounts;
  try {
    await clear(options, work, state);
    const log = await StageLog.open(runFolder, opened.stage.name);
    try {
      counts = await runRecords(options, work, log, inputs);
    } finally {
      await log.close();
    }
  } finally {
    await inputs?.close();
  }
  await finish(options, work, counts);
}

/** Discards what a stage made that can no longer be used. */
async function clear(
  { runFolder, events, log }: RunStagesOptions,
  { opened }: StageWork,
  state: StageState,
): Promise<void> {
  const { name } = opened.stage;
  if (outdatesLater(state)) await markStaleAfter(runFolder, name);
  if (state.kind === 'stale' || opened.kind !== 'record') await discardStage(runFolder, name);
  if (state.kind !== 'stale') return;
  events.write({ event: 'stage_discarded', stage: name, reasons: state.reasons.map(({ kind }) => kind) });
  log(`${name.padEnd(8)} ${describeStageState(state)}`);
}

/** Marks a stage as complete, its counts having been checked. */
async function finish(
  { runFolder, events, observer, worthless }: RunStagesOptions,
  { opened, wanted }: StageWork,
  counts: StageCounts,
): Promise<void> {
  const { stage } = wanted;
  const problem = countsProblem(stage, counts);
  if (problem) throw new Error(`counts do not add up: ${problem}`);
  const reason = await worthless?.(stage, counts);
  if (reason) {
    await discardStage(runFolder, stage);
    throw reason;
  }
  await writeStageFile(runFolder, { ...identityOf(opened, wanted), complete: true, ...counts });
  events.write({ event: 'stage_finished', stage, counts });
  observer.stageFinished(stage, counts);
}

/** What `stage.json` says of a stage besides how far it is. */
function identityOf(opened: OpenedStage, { stage, configHash, settings }: RunStage) {
  return { stage, version: opened.stage.version, config_hash: configHash, settings };
}

async function runRecords(
  { runFolder, stop, events, observer }: RunStagesOptions,
  { opened, wanted }: StageWork,
  log: StageLog,
  inputs: StageInputs | undefined,
): Promise<StageCounts> {
  const { name } = opened.stage;
  const total = inputs?.count ?? null;
  const counts = log.counts(total ?? 0);
  await writeStageFile(runFolder, { ...identityOf(opened, wanted), complete: false, ...counts });
  events.write({ event: 'stage_started', stage: name, owed: total && total - log.finishedInputs });
  const concurrency = opened.kind === 'record' ? opened.stage.concurrency : null;
  observer.stageStarted(name, total, log.finishedInputs, concurrency);
  await dispatch(opened, inputs, log, stop, (outcome) => observer.outcome(name, outcome));
  stop.signal.throwIfAborted();
  return log.counts(total ?? log.finishedInputs);
}

async function dispatch(
  opened: OpenedStage,
  inputs: StageInputs | undefined,
  log: StageLog,
  stop: StopSignals,
  onOutcome: (outcome: CorpusOutcome<unknown>) => void,
): Promise<void> {
  const { signal, drain } = stop;
  if (opened.kind === 'source') return recordStream(opened.stage.run({ signal }), log, drain, onOutcome);
  if (inputs === undefined) throw new Error(`stage ${opened.stage.name} has no stage before it`);
  if (opened.kind === 'record') return runRecordStage(opened.stage, inputs, log, stop, onOutcome);
  const { stage } = opened;
  return recordStream(stage.run(rereadable(inputs, stage.input), { signal }), log, drain, onOutcome);
}

/** The inputs of a stage, which begin again whenever they are iterated. */
function rereadable<T>(inputs: StageInputs, schema: z.ZodType<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { record } of inputs.read(schema)) yield record;
    },
  };
}
