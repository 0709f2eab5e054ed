import { byName } from '../../base/counts.ts';
import { RunHalted } from '../../contract/errors.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { refuseEqualFailures } from './failedThroughout.ts';
import { type ChainInputs, chainInputs, createPendingRollouts } from './rolloutOutcomes.ts';
import { readStageFile, writeStageFile } from './stageFiles.ts';
import { StageInputs } from './stageInputs.ts';
import { discardStage, StageLog } from './stageLog.ts';
import { outcomesOf, recordStream, runRecordStage } from './stageRunner.ts';
import { discardOutdated, type RunStagesOptions, type StageWork } from './stageWork.ts';
import type { StopSignals } from './stopSwitch.ts';
import { countsProblem } from './tally.ts';

interface Link extends StageWork {
  /** As in `stage.json`. */
  readonly indexOf: StageFile['index_of'];
  /** The records of the stage before it; undefined for the source. */
  readonly upstream: StageInputs | undefined;
  /** Inputs of a per-record stage. */
  readonly inputs: ChainInputs | undefined;
  readonly log: StageLog;
  /** Inputs of the next stage; undefined for the last. */
  next?: StageInputs;
}

/** Abort signals of a chain: the run's stop, or the first stage error. */
interface ChainStop extends StopSignals {
  readonly fault: AbortController;
}

/**
 * Runs one stage, or a chain of consecutive per-record stages concurrently. A record moves on once it is on disk, so a
 * stage never has an outcome for a record that the stage before it lost. Only file positions are queued between stages,
 * however far one is ahead.
 *
 * @throws the first error of a stage; the reason of a stop if work is pending
 */
export async function runChain(options: RunStagesOptions, works: readonly StageWork[]): Promise<void> {
  for (const { opened } of works) {
    if (opened.kind !== 'record') continue;
    await opened.stage.prepare?.();
    await opened.stage.begin?.();
  }
  const fault = new AbortController();
  const stop = {
    fault,
    drain: AbortSignal.any([options.stop.drain, fault.signal]),
    signal: AbortSignal.any([options.stop.signal, fault.signal]),
  };
  const links: Link[] = [];
  try {
    for (const work of works) links.push(await openLink(options, work, links, stop));
    const [first, second] = links;
    const made = second && { records: second.upstream!, schema: first!.opened.stage.output };
    const finished = first!.log.finishedIndexes();
    const stages = works.map(({ wanted }) => wanted.stage);
    await first!.inputs?.restore(options.runFolder, { stages, finished, made });
    await workTogether(options, links, stop);
  } finally {
    await closeAll(links);
  }
}

async function closeAll(links: readonly Link[]): Promise<void> {
  const closed = await Promise.allSettled(
    links.flatMap(({ log, upstream }) => [log.close(), upstream?.close()]),
  );
  const failed = closed.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

async function openLink(
  options: RunStagesOptions,
  work: StageWork,
  links: readonly Link[],
  { fault, drain }: ChainStop,
): Promise<Link> {
  const { runFolder, chosen } = options;
  const { wanted, before, opened } = work;
  const indexOf = await indexOfInputs(runFolder, work);
  // Opened before anything is discarded, since damaged inputs stop the run.
  const upstream =
    before &&
    (await StageInputs.open(runFolder, before, {
      isSparse: indexOf !== undefined,
      isGrowing: links.length > 0,
      ...(chosen?.stage === wanted.stage && { chosen: chosen.places }),
    }));
  try {
    await discardOutdated(options, work);
    const watch = {
      durable(ended: CorpusOutcome<unknown>, place: Parameters<StageInputs['add']>[0] | undefined) {
        if (place) link.next?.add(place);
        (links[0] ?? link).inputs?.note(wanted.stage, ended);
      },
      broken: (error: unknown) => fault.abort(error),
    };
    const isRecord = opened.kind === 'record';
    const log = await StageLog.open(runFolder, wanted.stage, isRecord ? watch : undefined);
    const inputs = isRecord ? chainInputs(opened.stage, upstream!, drain) : undefined;
    const link: Link = { ...work, indexOf, upstream, inputs, log };
    const last = links.at(-1);
    if (last) last.next = upstream!;
    const count = (inputs?.records ?? upstream)?.count;
    await beginStage(options, link, last || !Number.isFinite(count) ? null : count!);
    return link;
  } catch (error) {
    await upstream?.close();
    throw error;
  }
}

/** Input numbering: a resumed stage keeps its own; a new one uses the inputs of the stage before if possible. */
async function indexOfInputs(runFolder: string, { opened, wanted, before, state }: StageWork) {
  if (opened.kind !== 'record') return undefined;
  const file = state.kind === 'cut_off' ? await readStageFile(runFolder, wanted.stage) : undefined;
  if (file) return file.index_of;
  return stageRow(before!).kind === 'record' ? 'upstream_inputs' : undefined;
}

/** Announces the start of a stage on disk and to observers; `total` as in `RunObserver`. */
async function beginStage(options: RunStagesOptions, link: Link, total: number | null): Promise<void> {
  const { runFolder, events, observer } = options;
  const { opened, log } = link;
  const stage = opened.stage.name;
  const done = log.finishedInputs;
  await writeStageFile(runFolder, { ...identityOf(link), complete: false, ...log.counts(total ?? 0) });
  events.write({ event: 'stage_started', stage, pending: total === null ? null : total - done });
  const isRecord = opened.kind === 'record';
  const concurrency = isRecord ? () => opened.stage.concurrency : null;
  const plan = isRecord && total !== null ? opened.stage.rollouts : undefined;
  const pending = plan && createPendingRollouts(options, { ...link, plan });
  observer.stageStarted(stage, total, done, concurrency, pending);
}

/** Fields of `stage.json` other than progress. */
function identityOf({ opened, wanted, indexOf }: Link) {
  const { stage, configHash, settings } = wanted;
  const { version } = opened.stage;
  return { stage, version, config_hash: configHash, settings, ...(indexOf && { index_of: indexOf }) };
}

async function workTogether(
  options: RunStagesOptions,
  links: readonly Link[],
  stop: ChainStop,
): Promise<void> {
  // Finishes running inputs after a stop of the run; any other error aborts all stages.
  const failed = (error: unknown): never => {
    if (!(error instanceof RunHalted)) stop.fault.abort(error);
    throw error;
  };
  let before: Promise<unknown> = Promise.resolve();
  const ends = links.map((link, at) => {
    const worked = runLink(options, link, stop).catch(failed);
    const finished = Promise.all([worked, before]).then(() =>
      finishStage(options, links.slice(at)).catch(failed),
    );
    before = finished;
    return Promise.allSettled([worked, finished]);
  });
  const [first] = (await Promise.all(ends)).flat().filter((end) => end.status === 'rejected');
  stop.fault.signal.throwIfAborted();
  if (first) throw first.reason;
}

async function runLink({ observer }: RunStagesOptions, link: Link, stop: StopSignals): Promise<void> {
  const { opened, upstream, inputs, log, next } = link;
  const { name } = opened.stage;
  const noteFailure = refuseEqualFailures(name);
  const onOutcome = (ended: CorpusOutcome<unknown>) => {
    if (next) refuseSeveral(name, ended);
    observer.outcome(name, ended);
    noteFailure(ended.outcome);
  };
  try {
    if (opened.kind === 'record')
      await runRecordStage(opened.stage, { inputs: inputs!.records, log }, stop, onOutcome);
    else await recordStream(outcomesOf(opened, upstream, stop), log, stop.drain, onOutcome);
    stop.signal.throwIfAborted();
  } finally {
    next?.end();
  }
}

/** Rejects several records per input, since the next stage numbers its inputs by the input that each was made of. */
function refuseSeveral(stage: StageName, { outcome, recordId }: CorpusOutcome<unknown>): void {
  if (outcome.kind !== 'emit' || outcome.records.length <= 1) return;
  throw new Error(`${stage} emitted ${outcome.records.length} records of ${recordId}; expected at most 1`);
}

/**
 * Marks a stage as complete after checking its counts. If its output is invalid, it is discarded with that of later
 * stages.
 *
 * @throws Error if the counts do not add up, and the reason for an invalid output
 */
async function finishStage(
  { runFolder, events, observer, worthless, log }: RunStagesOptions,
  [link, ...later]: readonly Link[],
): Promise<void> {
  const { opened, inputs, upstream } = link!;
  const stage = opened.stage.name;
  const counts = link!.log.counts((inputs?.records ?? upstream)?.count ?? link!.log.finishedInputs);
  const problem = countsProblem(stage, counts);
  if (problem) throw new Error(`counts do not add up: ${problem}`);
  if (opened.kind === 'record') await opened.stage.finish?.();
  const reason = await worthless?.(stage, counts);
  if (reason) {
    for (const { wanted } of [link!, ...later]) await discardStage(runFolder, wanted.stage);
    throw reason;
  }
  const remarks = byName((opened.kind === 'source' && opened.stage.remarks) || []);
  const remarked = Object.keys(remarks).length > 0 ? { remarks } : {};
  const told = Object.entries(remarks).map(([code, rows]) => `${code} in ${rows}`);
  if (told.length > 0) log(`${stage}: of ${counts.entered} rows ${told.join(', ')}`);
  await writeStageFile(runFolder, { ...identityOf(link!), complete: true, ...counts, ...remarked });
  events.write({ event: 'stage_finished', stage, counts });
  observer.stageFinished(stage, counts);
}
