import PQueue from 'p-queue';
import type { z } from 'zod';
import { explainDiskError, isDiskFull } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';
import { failureOf, RunHalted } from '../../contract/errors.ts';
import type {
  CorpusOutcome,
  Identified,
  RecordStage,
  StageContext,
  StageOutcome,
} from '../../contract/stage.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { OpenedStage } from './stageState.ts';
import type { StopSignals } from './stopSwitch.ts';

/** Inputs of a stage in order: records of another stage, or rows of files. */
export interface RecordInputs {
  readonly count: number;
  /** Streams records with their indexes from 0, except those for which `skip` is true. */
  read<T>(schema: z.ZodType<T>, skip?: (index: number) => boolean): AsyncIterable<RecordInput<T>>;
  /** Stops waiting for further inputs; absent if all exist from the start. */
  end?(): void;
}

export interface RecordInput<T> {
  readonly index: number;
  readonly record: T;
  /** As in `StageContext`. */
  readonly rollout?: number;
  readonly wrongTry?: Trace;
}

/** Storage of a stage's outcomes: the journals of a run, or the files of a command. */
export interface OutcomeLog {
  /** Number of finished inputs over all sessions. */
  readonly finishedInputs: number;
  isFinished(index: number): boolean;
  /** Number of retries of an input that were caused by model answers. */
  attemptsAt(index: number): number;
  record(outcome: CorpusOutcome<unknown>): void;
  /** Applies back pressure: resolves once the disk has caught up. */
  ready(): Promise<void>;
  flush(): Promise<void>;
}

type OnOutcome = (outcome: CorpusOutcome<unknown>) => void;

/** Stage that is a source, or needs all records at once. */
type StreamStage = Exclude<OpenedStage, { kind: 'record' }>;

/** Records every outcome of a streaming stage; ends when the run stops. */
export async function recordStream(
  outcomes: AsyncIterable<CorpusOutcome<unknown>>,
  log: OutcomeLog,
  drain: AbortSignal,
  onOutcome?: OnOutcome,
): Promise<void> {
  for await (const outcome of outcomes) {
    drain.throwIfAborted();
    log.record(outcome);
    onOutcome?.(outcome);
    await log.ready();
  }
  await log.flush();
}

export function outcomesOf(
  opened: StreamStage,
  inputs: RecordInputs | undefined,
  { signal, drain }: StopSignals,
): AsyncIterable<CorpusOutcome<unknown>> {
  if (opened.kind === 'source') return untilAborted(opened.stage.run({ signal }), drain);
  if (!inputs) throw new Error(`stage ${opened.stage.name} has no stage before it`);
  return opened.stage.run(rereadable(inputs, opened.stage.input), { signal });
}

/**
 * Iterates a source until a signal aborts, then throws its reason. Does not wait for the source, which may read a file
 * for ever without yielding; it is abandoned, since `return` would wait too.
 */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!signal.aborted) await iterator.return?.();
  }
}

/** Inputs of a stage that can be iterated several times. */
function rereadable<T>(inputs: RecordInputs, schema: z.ZodType<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { record } of inputs.read(schema)) yield record;
    },
  };
}

/**
 * Runs a per-record stage over its unfinished inputs, concurrently and lazily. A drain starts no new input and finishes
 * the running ones, unless they are refused a resource; a stop abandons them. Unfinished inputs stay pending, since a
 * cut-off answer must not count as a failure.
 *
 * @throws the reason of the stop if inputs are pending; the error if a stage throws a `UserError`
 */
export async function runRecordStage<In extends Identified>(
  stage: RecordStage<In, Identified>,
  { inputs, log }: { readonly inputs: RecordInputs; readonly log: OutcomeLog },
  stop: StopSignals,
  onOutcome?: OnOutcome,
): Promise<void> {
  const queue = new PQueue({ concurrency: stage.concurrency });
  const look = () => {
    queue.concurrency = stage.concurrency;
  };
  const unwatch = stage.onConcurrency?.(look);
  const fault = new AbortController();
  const signal = AbortSignal.any([stop.signal, fault.signal]);
  const mayBegin = () => !signal.aborted && !stop.drain.aborted;
  // Ends the inputs, since a reader may wait for one that depends on abandoned work.
  signal.addEventListener('abort', () => inputs.end?.(), { once: true });

  const work = async ({ index, record, ...input }: RecordInput<In>): Promise<void> => {
    const { rollout = 0 } = { rollout: record.rollout, ...input };
    const repairs = input.wrongTry ? (input.wrongTry.rollout ?? 0) : record.repairs;
    try {
      const outcome = await outcomeOf(stage, record, { signal, attempt: log.attemptsAt(index), ...input });
      if (signal.aborted || outcome === 'pending') return;
      const ended = {
        index,
        recordId: record.id,
        taskId: record.task_id ?? record.id,
        ...(rollout > 0 && { rollout }),
        ...(repairs !== undefined && { repairs }),
        outcome,
      };
      log.record(ended);
      onOutcome?.(ended);
    } catch (error) {
      fault.abort(error);
    } finally {
      look();
    }
  };

  try {
    let begun: Promise<void> | undefined;
    for await (const input of inputs.read(stage.input, (at) => log.isFinished(at))) {
      await begun;
      await log.ready();
      if (!mayBegin()) break;
      begun = begin(queue, async () => (mayBegin() ? work(input) : undefined));
      look();
    }
    await queue.onIdle();
  } finally {
    queue.clear();
    await queue.onIdle();
    unwatch?.();
    await log.flush();
  }
  signal.throwIfAborted();
  if (log.finishedInputs < inputs.count) stop.drain.throwIfAborted();
}

/**
 * Resolves once the work begins. `queue.onSizeLessThan(1)` creates an error with a stack for each wait, which takes 0.2
 * ms.
 */
function begin(queue: PQueue, work: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  void queue.add(() => {
    resolve();
    return work();
  });
  return promise;
}

async function outcomeOf<In extends Identified>(
  stage: RecordStage<In, Identified>,
  record: In,
  context: StageContext,
): Promise<StageOutcome<Identified> | 'pending'> {
  try {
    return await stage.run(record, context);
  } catch (error) {
    if (error instanceof RunHalted) return 'pending';
    if (error instanceof UserError) throw error;
    if (isDiskFull(error)) throw explainDiskError(error, stage.name);
    return { kind: 'fail', failure: failureOf(error) };
  }
}
