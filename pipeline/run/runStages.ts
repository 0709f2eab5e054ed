import type { StageCounts } from '../../schemas/run/stageFile.ts';
import { UserError } from '../contract/errors.ts';
import type { CorpusOutcome, StageName } from '../contract/stage.ts';
import type { EventLog } from './eventLog.ts';
import type { PlannedStage } from './plannedStage.ts';
import { recordStream } from './recordStream.ts';
import { runRecordStage } from './runRecordStage.ts';
import { readStageFile, writeStageFile } from './stageFiles.ts';
import { StageInputs } from './stageInputs.ts';
import { discardStage, StageLog } from './stageLog.ts';
import { stagePaths } from './stagePaths.ts';
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

/** What {@link runStages} works with. */
export interface RunStagesOptions {
  readonly runFolder: string;
  /** All stages of the run, in order; the first is a source. */
  readonly stages: readonly PlannedStage[];
  /** Stage name -> content id of everything that shapes its records. */
  readonly stageHashes: ReadonlyMap<StageName, string>;
  /** The last stage to run. */
  readonly until?: StageName;
  readonly signal: AbortSignal;
  readonly events: EventLog;
  readonly observer: RunObserver;
  /** Why a finished stage's work is worthless, for instance an endpoint that was never there; it is then owed again. */
  readonly worthless?: (stage: StageName, counts: StageCounts) => Promise<Error | undefined>;
}

/**
 * Runs the stages that are not complete, each over the whole output of the one before. A stage that was cut off goes
 * on where it stopped when it looks at one record at a time, and starts anew when it needs to see all.
 *
 * @throws Error when the counts of a stage do not add up
 */
export async function runStages(options: RunStagesOptions): Promise<void> {
  let before: StageName | undefined;
  for (const planned of options.stages) {
    const { name } = planned.stage;
    const file = await readStageFile(options.runFolder, name);
    if (file?.complete !== true) await runStage(options, planned, before);
    if (name === options.until) return;
    before = name;
  }
}

async function runStage(
  options: RunStagesOptions,
  planned: PlannedStage,
  before: StageName | undefined,
): Promise<void> {
  const { runFolder } = options;
  await planned.prepare?.();
  if (planned.kind !== 'record') await discardStage(runFolder, planned.stage.name);
  const inputs = before === undefined ? undefined : await openInputs(runFolder, before);
  let counts: StageCounts;
  try {
    const log = await StageLog.open(runFolder, planned.stage.name);
    try {
      counts = await workThrough(options, planned, log, inputs);
    } finally {
      await log.close();
    }
  } finally {
    await inputs?.close();
  }
  await finish(options, planned, counts);
}

/** What a stage emitted; nothing is made of a part of it. */
async function openInputs(runFolder: string, before: StageName): Promise<StageInputs> {
  const inputs = await StageInputs.open(runFolder, before);
  const emitted = (await readStageFile(runFolder, before))?.emitted_records;
  if (inputs.count === emitted) return inputs;
  await inputs.close();
  throw new UserError(
    `${stagePaths(runFolder, before).records} holds ${inputs.count} records, but ${emitted} were written to it; redo the stage with --from ${before}, or restore the file`,
  );
}

/** Marks a stage as complete, its counts having been checked. */
async function finish(
  { runFolder, stageHashes, events, observer, worthless }: RunStagesOptions,
  { stage: { name, version } }: PlannedStage,
  counts: StageCounts,
): Promise<void> {
  const problem = countsProblem(name, counts);
  if (problem) throw new Error(`counts do not add up: ${problem}`);
  const reason = await worthless?.(name, counts);
  if (reason) {
    await discardStage(runFolder, name);
    throw reason;
  }
  const config_hash = stageHashes.get(name) ?? '';
  await writeStageFile(runFolder, { stage: name, version, config_hash, complete: true, ...counts });
  events.write({ event: 'stage_finished', stage: name, counts });
  observer.stageFinished(name, counts);
}

async function workThrough(
  { runFolder, stageHashes, signal, events, observer }: RunStagesOptions,
  planned: PlannedStage,
  log: StageLog,
  inputs: StageInputs | undefined,
): Promise<StageCounts> {
  const { name, version } = planned.stage;
  const total = inputs?.count ?? null;
  const config_hash = stageHashes.get(name) ?? '';
  const counts = log.counts(total ?? 0);
  await writeStageFile(runFolder, { stage: name, version, config_hash, complete: false, ...counts });
  events.write({ event: 'stage_started', stage: name, owed: total && total - log.finishedInputs });
  const concurrency = planned.kind === 'record' ? planned.stage.concurrency : null;
  observer.stageStarted(name, total, log.finishedInputs, concurrency);
  await dispatch(planned, inputs, log, signal, (outcome) => observer.outcome(name, outcome));
  signal.throwIfAborted();
  return log.counts(total ?? log.finishedInputs);
}

async function dispatch(
  planned: PlannedStage,
  inputs: StageInputs | undefined,
  log: StageLog,
  signal: AbortSignal,
  onOutcome: (outcome: CorpusOutcome<unknown>) => void,
): Promise<void> {
  const context = { signal };
  if (planned.kind === 'source') return recordStream(planned.stage.run(context), log, context, onOutcome);
  if (inputs === undefined) throw new Error(`stage ${planned.stage.name} has no stage before it`);
  if (planned.kind === 'record') return runRecordStage(planned.stage, inputs, log, context, onOutcome);
  const { stage } = planned;
  async function* records() {
    for await (const { record } of inputs!.read(stage.input)) yield record;
  }
  return recordStream(stage.run(records(), context), log, context, onOutcome);
}
