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
  /** Those that go in, where it looks at one at a time. */
  readonly inputs: ChainInputs | undefined;
  readonly log: StageLog;
  /** What goes into the stage after it; undefined for the last. */
  next?: StageInputs;
}

/** What stops the stages of a chain: the run, or an error of one of them. */
interface ChainStop extends StopSignals {
  readonly fault: AbortController;
}

/**
 * Runs a stage, or several that look at one record at a time and follow one another, all at once: a record goes on as
 * soon as it is on disk, so that no stage ever has an outcome of a record that the one before it has lost. Between two
 * stages there are places in a file only, however far one is ahead.
 *
 * @throws the first error of a stage; the reason of a stop where work is pending
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

/** Closes all, also where the disk fails some. */
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
  // Before anything is discarded: damaged inputs stop it.
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

/** A stage that is resumed calls its inputs as it did; another one by the inputs of the stage before, where it can. */
async function indexOfInputs(runFolder: string, { opened, wanted, before, state }: StageWork) {
  if (opened.kind !== 'record') return undefined;
  const file = state.kind === 'cut_off' ? await readStageFile(runFolder, wanted.stage) : undefined;
  if (file) return file.index_of;
  return stageRow(before!).kind === 'record' ? 'upstream_inputs' : undefined;
}

/** Says on disk and to those who watch that a stage is at work; `total` as in `RunObserver`. */
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

/** What `stage.json` says of a stage besides how far it is. */
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
  // When the run is to stop, each stage ends what it has begun; any other error stops all.
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

/** An input of the stage after it is called by the place of the one input that it was made of. */
function refuseSeveral(stage: StageName, { outcome, recordId }: CorpusOutcome<unknown>): void {
  if (outcome.kind !== 'emit' || outcome.records.length <= 1) return;
  throw new Error(`${stage} emitted ${outcome.records.length} records of ${recordId}; expected at most 1`);
}

/**
 * Marks a stage as complete, its counts having been checked; one whose work is worthless is discarded instead, with what
 * the stages after it made meanwhile.
 *
 * @throws Error when the counts do not add up, and why the work is worthless
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
