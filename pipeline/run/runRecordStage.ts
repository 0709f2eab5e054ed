import PQueue from 'p-queue';
import { explainDiskError, isDiskFull } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';
import { failureOf, RunHalted } from '../../contract/errors.ts';
import type { CorpusOutcome, Identified, RecordStage, StageOutcome } from '../../contract/stage.ts';
import type { OnOutcome } from './recordStream.ts';
import type { StageInputs } from './stageInputs.ts';
import type { StageLog } from './stageLog.ts';
import type { StopSignals } from './stopSignals.ts';

/**
 * Runs a record stage over the inputs that have not ended yet, several at once, fed lazily. When the run is to halt,
 * no new input is begun and those under way end, unless they are refused something they need; when it is stopped for
 * good, they are given up. Whatever has not ended by then is owed: an answer that was cut off must not count as a
 * failure.
 *
 * @throws the reason of the halt when inputs are owed; the error when a stage throws a `UserError`
 */
export async function runRecordStage(
  stage: RecordStage<Identified, Identified>,
  inputs: StageInputs,
  log: StageLog,
  stop: StopSignals,
  onOutcome: OnOutcome,
): Promise<void> {
  const queue = new PQueue({ concurrency: stage.concurrency });
  const fault = new AbortController();
  const signal = AbortSignal.any([stop.signal, fault.signal]);
  const mayBegin = () => !signal.aborted && !stop.drain.aborted;

  const work = async (index: number, record: Identified): Promise<void> => {
    try {
      const context = { signal, attempt: log.attemptsAt(index) };
      const outcome = await outcomeOf(stage, record, context);
      if (signal.aborted || outcome === 'owed') return;
      const ended: CorpusOutcome<Identified> = {
        index,
        recordId: record.id,
        taskId: record.task_id ?? record.id,
        outcome,
      };
      log.record(ended);
      onOutcome(ended);
    } catch (error) {
      fault.abort(error);
    }
  };

  try {
    for await (const { index, record } of inputs.read(stage.input, (at) => log.isFinished(at))) {
      await queue.onSizeLessThan(1);
      await log.ready();
      if (!mayBegin()) break;
      void queue.add(() => (mayBegin() ? work(index, record) : undefined));
    }
    await queue.onIdle();
  } finally {
    queue.clear();
    await queue.onIdle();
    await log.flush();
  }
  signal.throwIfAborted();
  if (log.finishedInputs < inputs.count) stop.drain.throwIfAborted();
}

async function outcomeOf(
  stage: RecordStage<Identified, Identified>,
  record: Identified,
  context: { readonly signal: AbortSignal; readonly attempt: number },
): Promise<StageOutcome<Identified> | 'owed'> {
  try {
    return await stage.run(record, context);
  } catch (error) {
    if (error instanceof RunHalted) return 'owed';
    if (error instanceof UserError) throw error;
    if (isDiskFull(error)) throw explainDiskError(error, stage.name);
    return { kind: 'fail', failure: failureOf(error) };
  }
}
