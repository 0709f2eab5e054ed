import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { withoutAbsent } from '../base/withoutAbsent.ts';
import type { RolloutPlan } from '../schemas/config/rollouts.ts';
import type { DropReason } from '../schemas/dropReasons.ts';
import type { StageFailure } from '../schemas/outcome.ts';
import type { Trace } from '../schemas/trace.ts';
import type { StageName } from './stageTable.ts';

/** Fields by which the runner names a record. */
export interface Identified {
  readonly id: string;
  /** Task of the record; a task's own id for tasks. */
  readonly task_id?: string | undefined;
  /** Rollout number from 0; absent for the first, and for tasks. */
  readonly rollout?: number | undefined;
  /** Rollout of which this one is the second try; absent otherwise. */
  readonly repairs?: number | undefined;
}

/** Context of a stage besides the record. */
export interface StageContext {
  /** Aborted when the user stops the run for good. */
  readonly signal: AbortSignal;
  /** Number of restarts caused by model answers; default: 0. Answers of earlier attempts are not reused. */
  readonly attempt?: number;
  /** Rollout number from 0; default: 0. */
  readonly rollout?: number;
  /** Rollout that was judged wrong and is to be corrected; absent unless this is a second try. */
  readonly wrongTry?: Trace;
  /** Concurrency slot of this record until it ends, from 0; undefined if not tracked. */
  readonly lane?: number;
}

/** Outcome of a record. Every record has exactly one, and the counts add up. */
export type StageOutcome<Out> =
  | { readonly kind: 'emit'; readonly records: readonly Out[] }
  | { readonly kind: 'drop'; readonly reason: DropReason; readonly evidence: JsonObject }
  | { readonly kind: 'fail'; readonly failure: StageFailure; readonly partial?: JsonObject };

/** Processes one record at a time: concurrent, resumable, shardable. */
export interface RecordStage<In extends Identified, Out extends Identified> {
  readonly name: StageName;
  /** Incremented when the output changes for equal input. */
  readonly version: number;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  /** Maximum concurrent records; may change. */
  readonly concurrency: number;
  /** Calls a listener when `concurrency` may have changed, other than by a record that began or ended. */
  onConcurrency?(listener: () => void): (() => void) | undefined;
  /** Rollouts of each input; absent: one. */
  readonly rollouts?: RolloutPlan;
  /** Opens servers, tools and models once the stage has work. */
  prepare?(): Promise<void>;
  /**
   * Called by the process that owns the run's folder before the first record, even if workers process the records.
   */
  begin?(): Promise<void>;
  /** Called once every outcome is on disk, before the stage counts as done. */
  finish?(): Promise<void>;
  /** May throw `RecordFailure`, which becomes a failure of the record, or `RunHalted`, which leaves it pending. */
  run(record: In, context: StageContext): Promise<StageOutcome<Out>>;
}

/** Outcome of one record in a corpus stage. */
export interface CorpusOutcome<Out> extends RecordNames {
  /** Index among the stage's inputs, from 0. */
  readonly index: number;
  readonly outcome: StageOutcome<Out>;
}

/** Names of a record in the ledger; `rollout` and `repairs` as in {@link Identified}. */
interface RecordNames {
  readonly recordId: string;
  readonly taskId: string;
  readonly rollout?: number;
  readonly repairs?: number;
}

export function namesOf({ id, task_id, rollout, repairs }: Identified): RecordNames {
  return { recordId: id, taskId: task_id ?? id, ...withoutAbsent({ rollout, repairs }) };
}

/**
 * Yields the outcomes of records that a corpus stage decides one after another.
 * @returns how many there were
 */
export async function* decideEach<T extends Identified>(
  records: AsyncIterable<T>,
  decide: (record: T, index: number) => StageOutcome<T>,
): AsyncGenerator<CorpusOutcome<T>, number> {
  let index = 0;
  for await (const record of records) {
    yield { index, ...namesOf(record), outcome: decide(record, index) };
    index++;
  }
  return index;
}

/** Reads records into a run; an index counts all rows read, invalid ones included. */
export interface SourceStage<Out extends Identified> {
  readonly name: StageName;
  readonly version: number;
  readonly output: z.ZodType<Out>;
  /** Number of records in the last run per remark (changed or omitted content). Absent: none. */
  readonly remarks?: ReadonlyMap<string, number>;
  run(context: StageContext): AsyncIterable<CorpusOutcome<Out>>;
}

/**
 * Processes all records in input order. It streams one outcome per record, in any order. The records can be read
 * several times in sequence: first to measure, then to decide.
 */
export interface CorpusStage<In extends Identified, Out extends Identified> {
  readonly name: StageName;
  readonly version: number;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  run(records: AsyncIterable<In>, context: StageContext): AsyncIterable<CorpusOutcome<Out>>;
}

/** Outcome that emits one record. */
export function emitRecord<Out>(record: Out): StageOutcome<Out> {
  return { kind: 'emit', records: [record] };
}

/** Outcome that drops the record for a reason. */
export function dropRecord(reason: DropReason, evidence: JsonObject): StageOutcome<never> {
  return { kind: 'drop', reason, evidence };
}
