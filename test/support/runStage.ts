import { expect } from 'vitest';
import type {
  CorpusOutcome,
  CorpusStage,
  Identified,
  RecordStage,
  StageOutcome,
} from '../../contract/stage.ts';

/** Runs a record stage on one record. */
export function runRecordStage<In extends Identified, Out extends Identified>(
  stage: RecordStage<In, Out>,
  record: In,
): Promise<StageOutcome<Out>> {
  return stage.run(stage.input.parse(record), { signal: new AbortController().signal });
}

/** What a record stage emits for a record. */
export async function emittedBy<In extends Identified, Out extends Identified>(
  stage: RecordStage<In, Out>,
  record: In,
): Promise<Out> {
  const outcome = await runRecordStage(stage, record);
  if (outcome.kind !== 'emit') throw new Error(`the outcome is ${outcome.kind}`);
  return outcome.records[0]!;
}

/** The records that a corpus stage lets through. */
export async function keptBy<Of extends Identified>(
  stage: CorpusStage<Of, Of>,
  records: readonly Of[],
): Promise<Of[]> {
  const outcomes = await runCorpusStage(stage, records);
  return outcomes.flatMap(({ outcome }) => (outcome.kind === 'emit' ? outcome.records : []));
}

/** Runs a corpus stage on records and gathers its outcomes, each of which must name its record, task and rollout. */
export async function runCorpusStage<In extends Identified, Out extends Identified>(
  stage: CorpusStage<In, Out>,
  records: readonly In[],
  signal: AbortSignal = new AbortController().signal,
): Promise<CorpusOutcome<Out>[]> {
  const outcomes: CorpusOutcome<Out>[] = [];
  for await (const outcome of stage.run(streamOf(records), { signal })) {
    outcomes.push(outcome);
    const { id, task_id = id, rollout, repairs } = records[outcome.index]!;
    const { recordId, taskId } = outcome;
    expect({ recordId, taskId, rollout: outcome.rollout, repairs: outcome.repairs }).toEqual({
      recordId: id,
      taskId: task_id,
      rollout,
      repairs,
    });
  }
  return outcomes;
}

/** As the runner gives them: every iteration starts over. */
export function streamOf<T>(records: readonly T[]): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* records;
    },
  };
}
