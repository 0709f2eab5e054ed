import PQueue from 'p-queue';
import { failureOf, UserError } from '../contract/errors.ts';
import type {
  CorpusOutcome,
  Identified,
  RecordStage,
  StageContext,
  StageOutcome,
} from '../contract/stage.ts';
import { explainDiskError, isDiskFull } from '../files/diskError.ts';
import type { OnOutcome } from './recordStream.ts';
import type { StageInputs } from './stageInputs.ts';
import type { StageLog } from './stageLog.ts';

/**
 * Runs a record stage over the inputs that have not ended yet, several at once, fed lazily. When the run is
 * stopped, whatever has not ended by then is owed: an answer that was cut off must not count as a failure.
 *
 * @throws the signal's reason when the run is stopped; the error when a stage throws a `UserError`
 */
export async function runRecordStage(
  stage: RecordStage<Identified, Identified>,
  inputs: StageInputs,
  log: StageLog,
  context: StageContext,
  onOutcome: OnOutcome,
): Promise<void> {
  const queue = new PQueue({ concurrency: stage.concurrency });
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);

  const work = async (index: number, record: Identified): Promise<void> => {
    try {
      const outcome = await outcomeOf(stage, record, signal);
      if (signal.aborted) return;
      const ended: CorpusOutcome<Identified> = {
        index,
        recordId: record.id,
        taskId: record.task_id ?? record.id,
        outcome,
      };
      log.record(ended);
      onOutcome(ended);
    } catch (error) {
      halt.abort(error);
    }
  };

  try {
    for await (const { index, record } of inputs.read(stage.input, (at) => log.isFinished(at))) {
      await queue.onSizeLessThan(1);
      await log.ready();
      if (signal.aborted) break;
      void queue.add(() => (signal.aborted ? undefined : work(index, record)));
    }
    await queue.onIdle();
  } finally {
    queue.clear();
    await queue.onIdle();
    await log.flush();
  }
  signal.throwIfAborted();
}

async function outcomeOf(
  stage: RecordStage<Identified, Identified>,
  record: Identified,
  signal: AbortSignal,
): Promise<StageOutcome<Identified>> {
  try {
    return await stage.run(record, { signal });
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (isDiskFull(error)) throw explainDiskError(error, stage.name);
    return { kind: 'fail', failure: failureOf(error) };
  }
}
