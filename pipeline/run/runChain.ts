import { RunHalted } from '../../contract/errors.ts';
import type { CorpusOutcome, Identified, RecordStage } from '../../contract/stage.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { type ChainInputs, chainInputs } from './rolloutOutcomes.ts';
import { readStageFile } from './stageFiles.ts';
import { StageInputs } from './stageInputs.ts';
import { StageLog } from './stageLog.ts';
import { runRecordStage } from './stageRunner.ts';
import type { OpenedStage } from './stageState.ts';
import {
  beginStage,
  discardOutdated,
  finishStage,
  type RunStagesOptions,
  type StageWork,
} from './stageWork.ts';
import type { StopSignals } from './stopSwitch.ts';

/** A stage that looks at one record at a time and has work. */
export type ChainedWork = Omit<StageWork, 'chained' | 'indexOf'> & {
  readonly opened: Extract<OpenedStage, { kind: 'record' }>;
  readonly before: StageName;
};

/** A stage of a chain, with what goes in and what comes out. */
interface Link {
  readonly work: StageWork & ChainedWork;
  /** The records of the stage before it. */
  readonly upstream: StageInputs;
  readonly inputs: ChainInputs;
  readonly log: StageLog;
  /** What goes into the stage after it; undefined for the last. */
  next?: StageInputs;
}

/**
 * Runs stages that look at one record at a time and follow one another, all at once: a record goes on as soon as it is
 * on disk, so that no stage ever has an outcome of a record that the one before it has lost. Between two stages there
 * are places in a file only, however far one is ahead.
 */
export async function runChain(options: RunStagesOptions, works: readonly ChainedWork[]): Promise<void> {
  const stages = works.map(({ wanted }) => wanted.stage);
  for (const { opened } of works) await opened.stage.prepare?.();
  const fault = new AbortController();
  const drain = AbortSignal.any([options.stop.drain, fault.signal]);
  const links: Link[] = [];
  try {
    for (const [at, work] of works.entries())
      links.push(
        await openLink(options, { ...work, chained: stages.slice(at + 1) }, links, { fault, drain }),
      );
    const [first, second] = links;
    const made = second && { records: second.upstream, schema: first!.work.opened.stage.output };
    const finished = first!.log.finishedIndexes();
    await first!.inputs.restore(options.runFolder, { stages, finished, made });
    await workTogether(options, links, fault, drain);
  } finally {
    await closeAll(links);
  }
}

/** Closes all, also where the disk fails some. */
async function closeAll(links: readonly Link[]): Promise<void> {
  const closed = await Promise.allSettled(
    links.flatMap(({ log, upstream }) => [log.close(), upstream.close()]),
  );
  const failed = closed.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

async function openLink(
  options: RunStagesOptions,
  work: ChainedWork & Pick<StageWork, 'chained'>,
  links: readonly Link[],
  { fault, drain }: { readonly fault: AbortController; readonly drain: AbortSignal },
): Promise<Link> {
  const { runFolder, chosen } = options;
  const { wanted, before, state } = work;
  const file = state.kind === 'cut_off' ? await readStageFile(runFolder, wanted.stage) : undefined;
  const indexOf = file ? file.index_of : indexOfNew(before);
  // Before anything is discarded: damaged inputs stop it.
  const upstream = await StageInputs.open(runFolder, before, {
    isSparse: indexOf !== undefined,
    isGrowing: links.length > 0,
    ...(chosen?.stage === wanted.stage && { chosen: chosen.places }),
  });
  try {
    await discardOutdated(options, { ...work, indexOf });
    const log = await StageLog.open(runFolder, wanted.stage, {
      durable(ended, place) {
        if (place) link.next?.add(place);
        (links[0] ?? link).inputs.note(wanted.stage, ended);
      },
      broken: (error) => fault.abort(error),
    });
    const inputs = chainInputs(work.opened.stage, upstream, drain);
    const { count } = inputs.records;
    const link: Link = { work: { ...work, indexOf }, upstream, inputs, log };
    const last = links.at(-1);
    if (last) last.next = upstream;
    await beginStage(options, link.work, log, last || !Number.isFinite(count) ? null : count);
    return link;
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

function indexOfNew(before: StageName): StageFile['index_of'] {
  return stageRow(before).kind === 'record' ? 'upstream_inputs' : undefined;
}

/** @throws the first error of a stage; the reason of a stop where work is pending */
async function workTogether(
  options: RunStagesOptions,
  links: readonly Link[],
  fault: AbortController,
  drain: AbortSignal,
): Promise<void> {
  const stops = { signal: AbortSignal.any([options.stop.signal, fault.signal]), drain };
  // When the run is to stop, each stage ends what it has begun; any other error stops all.
  const failed = (error: unknown): never => {
    if (!(error instanceof RunHalted)) fault.abort(error);
    throw error;
  };
  let before: Promise<unknown> = Promise.resolve();
  const ends = links.map((link) => {
    const { work, log, inputs } = link;
    const worked = runLink(options, link, stops).catch(failed);
    const finished = Promise.all([worked, before]).then(() =>
      finishStage(options, work, log.counts(inputs.records.count)).catch(failed),
    );
    before = finished;
    return Promise.allSettled([worked, finished]);
  });
  const [first] = (await Promise.all(ends)).flat().filter((end) => end.status === 'rejected');
  fault.signal.throwIfAborted();
  if (first) throw first.reason;
}

async function runLink({ observer }: RunStagesOptions, link: Link, stops: StopSignals): Promise<void> {
  const stage = link.work.opened.stage as RecordStage<Identified, Identified>;
  const onOutcome = (ended: CorpusOutcome<unknown>) => {
    refuseSeveral(stage.name, link, ended);
    observer.outcome(stage.name, ended);
  };
  try {
    await runRecordStage(stage, link.inputs.records, link.log, stops, onOutcome);
    stops.signal.throwIfAborted();
  } finally {
    link.next?.end();
  }
}

/** An input of the stage after it is called by the place of the one input that it was made of. */
function refuseSeveral(
  stage: StageName,
  { next }: Link,
  { outcome, recordId }: CorpusOutcome<unknown>,
): void {
  if (next === undefined || outcome.kind !== 'emit' || outcome.records.length <= 1) return;
  throw new Error(`${stage} emitted ${outcome.records.length} records of ${recordId}; expected at most 1`);
}
