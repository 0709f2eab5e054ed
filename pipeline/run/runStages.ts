import type { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import { readStageState } from './readStageStates.ts';
import { type ChainedWork, runChain } from './runChain.ts';
import { StageInputs } from './stageInputs.ts';
import { StageLog } from './stageLog.ts';
import { recordStream } from './stageRunner.ts';
import type { OpenedStage, RunStage, StageState } from './stageState.ts';
import {
  beginStage,
  discardOutdated,
  finishStage,
  type RunStagesOptions,
  type StageWork,
} from './stageWork.ts';
import type { StopSignals } from './stopSwitch.ts';

/**
 * Runs the stages that are pending. Those that look at one record at a time and follow one another work together, each
 * on what the one before has finished; the others work on the whole output of the one before. A stage that was cut off
 * is resumed where it stopped when it looks at one record at a time, and starts again when it needs to see all; what a
 * stale stage made is discarded when it begins.
 *
 * @returns how many stages were worked on
 * @throws Error when the counts of a stage do not add up
 */
export async function runStages(options: RunStagesOptions): Promise<number> {
  const { runFolder, stop } = options;
  const stages = stagesUntil(options);
  let before: StageState | undefined;
  let worked = 0;
  for (let at = 0; at < stages.length; ) {
    const state = await readStageState(runFolder, stages[at]!, before);
    if (state.kind === 'done') {
      at++;
    } else {
      stop.drain.throwIfAborted();
      const chain = await chainFrom(runFolder, stages.slice(at), { state, before: before?.stage });
      if (chain.length > 0) await runChain(options, chain);
      else await runStage(options, { wanted: stages[at]!, state, before: before?.stage });
      at += Math.max(1, chain.length);
      worked += Math.max(1, chain.length);
    }
    before = { stage: stages[at - 1]!.stage, kind: 'done' };
  }
  return worked;
}

function stagesUntil({ stages, until }: RunStagesOptions): readonly RunStage[] {
  const last = stages.findIndex(({ stage }) => stage === until);
  return last < 0 ? stages : stages.slice(0, last + 1);
}

/** The stages that look at one record at a time from the first of `stages` on; none where that one sees all. */
async function chainFrom(
  runFolder: string,
  stages: readonly RunStage[],
  first: { readonly state: StageState; readonly before: StageName | undefined },
): Promise<ChainedWork[]> {
  const chain: ChainedWork[] = [];
  let { state, before } = first;
  for (const wanted of stages) {
    if (chain.length > 0) state = await readStageState(runFolder, wanted, state);
    const opened = workOf(wanted, runFolder);
    if (opened.kind !== 'record' || before === undefined) break;
    // Of tasks that are rolled out all must be there.
    if (chain.length > 0 && opened.stage.rollouts) break;
    chain.push({ opened, wanted, state, before });
    before = wanted.stage;
  }
  return chain;
}

function workOf({ stage, opened }: RunStage, runFolder: string): OpenedStage {
  if (opened) return opened;
  throw new UserError(
    `${runFolder}: the records of ${stage} were taken over from another run and are no longer complete; remove the folder and make it again`,
  );
}

async function runStage(
  options: RunStagesOptions,
  pending: { readonly wanted: RunStage; readonly state: StageState; readonly before: StageName | undefined },
): Promise<void> {
  const { runFolder, stop, observer } = options;
  const { wanted, before } = pending;
  const opened = workOf(wanted, runFolder);
  const work: StageWork = { ...pending, opened, chained: [], indexOf: undefined };
  // Before anything is discarded: damaged inputs stop it.
  const inputs = before === undefined ? undefined : await StageInputs.open(runFolder, before);
  let counts: StageCounts;
  try {
    await discardOutdated(options, work);
    const log = await StageLog.open(runFolder, wanted.stage);
    try {
      await beginStage(options, work, log, inputs?.count ?? null);
      const onOutcome = (outcome: CorpusOutcome<unknown>) => observer.outcome(wanted.stage, outcome);
      await recordStream(outcomesOf(opened, inputs, stop), log, stop.drain, onOutcome);
      stop.signal.throwIfAborted();
      counts = log.counts(inputs?.count ?? log.finishedInputs);
    } finally {
      await log.close();
    }
  } finally {
    await inputs?.close();
  }
  await finishStage(options, work, counts);
}

function outcomesOf(
  opened: OpenedStage,
  inputs: StageInputs | undefined,
  { signal, drain }: StopSignals,
): AsyncIterable<CorpusOutcome<unknown>> {
  if (opened.kind === 'source') return untilAborted(opened.stage.run({ signal }), drain);
  if (opened.kind === 'record' || !inputs)
    throw new Error(`stage ${opened.stage.name} has no stage before it`);
  const { stage } = opened;
  return stage.run(rereadable(inputs, stage.input), { signal });
}

/**
 * What a source gives until a signal is aborted, whose reason is thrown then: a file may be read without a row for ever.
 * The source is left as it stands, since it can't be asked to end either.
 */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let waiting: PromiseWithResolvers<IteratorResult<T>> | undefined;
  const abort = () => waiting?.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      signal.throwIfAborted();
      waiting = Promise.withResolvers();
      iterator.next().then(waiting.resolve, waiting.reject);
      const next = await waiting.promise;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    if (!signal.aborted) await iterator.return?.();
  }
}

/** The inputs of a stage, which begin again whenever they are iterated. */
function rereadable<T>(inputs: StageInputs, schema: z.ZodType<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { record } of inputs.read(schema)) yield record;
    },
  };
}
