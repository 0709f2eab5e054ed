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

/** The records that go into a stage, in order: another stage's, or the rows of files. */
export interface RecordInputs {
  /** How many there are, as far as is known by now. */
  readonly count: number;
  /** The records with their places, from 0, except those for which `skip` is true. */
  read<T>(schema: z.ZodType<T>, skip?: (index: number) => boolean): AsyncIterable<RecordInput<T>>;
  /** No input is waited for from now on; absent where all are there from the start. */
  end?(): void;
}

/** A record that goes into a stage. */
export interface RecordInput<T> {
  readonly index: number;
  readonly record: T;
  /** Both as in `StageContext`. */
  readonly rollout?: number;
  readonly wrongTry?: Trace;
}

/** Where the outcomes of a stage are kept: a run's journals, or the files of a command. */
export interface OutcomeLog {
  /** Inputs that have ended, of this session and earlier ones. */
  readonly finishedInputs: number;
  isFinished(index: number): boolean;
  /** How often an input was retried because of what a model had said. */
  attemptsAt(index: number): number;
  record(outcome: CorpusOutcome<unknown>): void;
  /** Resolves when the disk keeps up. */
  ready(): Promise<void>;
  /** Resolves once every outcome recorded so far is on disk. */
  flush(): Promise<void>;
}

type OnOutcome = (outcome: CorpusOutcome<unknown>) => void;

/** A stage that brings records in, or sees all of them. */
type StreamStage = Exclude<OpenedStage, { kind: 'record' }>;

/** Records every outcome of a stage that streams; stops when the run is to stop. */
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

/** What a stage gives that brings records in, or sees all of them. */
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
 * What a source gives until a signal is aborted, whose reason is thrown then: a file may be read without a row for ever.
 * The source is left as it stands, since it can't be asked to end either.
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

/** The inputs of a stage, which begin again whenever they are iterated. */
function rereadable<T>(inputs: RecordInputs, schema: z.ZodType<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { record } of inputs.read(schema)) yield record;
    },
  };
}

/**
 * Runs a record stage over the inputs that have not ended yet, several at once, fed lazily. When the run is to stop,
 * no new input is begun and those under way end, unless they are refused something they need; when it is stopped for
 * good, they are given up. Whatever has not ended by then is pending: an answer that was cut off must not count as a
 * failure.
 *
 * @throws the reason of the stop when inputs are pending; the error when a stage throws a `UserError`
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
  // A reader may wait for an input that is made only once the stage has ended what it will never end now.
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

/** Resolves once the work begins. `queue.onSizeLessThan(1)` makes an exception with a stack for each wait: 0.2 ms. */
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
