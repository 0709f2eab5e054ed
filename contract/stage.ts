import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { withoutAbsent } from '../base/withoutAbsent.ts';
import type { RolloutPlan } from '../schemas/config/rollouts.ts';
import type { DropReason } from '../schemas/dropReasons.ts';
import type { StageFailure } from '../schemas/outcome.ts';
import type { Trace } from '../schemas/trace.ts';
import type { StageName } from './stageTable.ts';

/** What every record has, so that the runner can name it. */
export interface Identified {
  readonly id: string;
  /** The task that a record comes from; a task's own id for tasks. */
  readonly task_id?: string | undefined;
  /** Which of the task's rollouts it is of, from 0; absent for the first, and for tasks. */
  readonly rollout?: number | undefined;
  /** The rollout of the task that this one is the second try of; absent for what is not a second try. */
  readonly repairs?: number | undefined;
}

/** What a stage is given besides the record. */
export interface StageContext {
  /** Aborted when the user stops the run for good. */
  readonly signal: AbortSignal;
  /**
   * How often the record was pending again because of what a model had said; 0 where absent. What was said in earlier
   * attempts is not used again.
   */
  readonly attempt?: number;
  /** Which of the task's rollouts is worked on, from 0; 0 where absent. */
  readonly rollout?: number;
  /** The rollout that was judged wrong and is to be put right; absent for what is not a second try. */
  readonly wrongTry?: Trace;
  /** Which of the places for records worked on at once this one has until it ends, from 0; absent: not told. */
  readonly lane?: number;
}

/** What became of a record. Every record ends in exactly one of these, and the counts add up. */
export type StageOutcome<Out> =
  | { readonly kind: 'emit'; readonly records: readonly Out[] }
  | { readonly kind: 'drop'; readonly reason: DropReason; readonly evidence: JsonObject }
  | { readonly kind: 'fail'; readonly failure: StageFailure; readonly partial?: JsonObject };

/** A stage that looks at one record at a time: concurrent, resumable, shardable. */
export interface RecordStage<In extends Identified, Out extends Identified> {
  readonly name: StageName;
  /** Bumped when the output changes for equal input. */
  readonly version: number;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  /** Records worked on at once; may change. */
  readonly concurrency: number;
  /** Calls a listener whenever `concurrency` may have changed for another cause than that a record began or ended. */
  onConcurrency?(listener: () => void): (() => void) | undefined;
  /** How often each input is worked on; absent: once. */
  readonly rollouts?: RolloutPlan;
  /** Opens what the stage needs (servers, tools, models) once it is known to have work. */
  prepare?(): Promise<void>;
  /** Called by whoever holds the run's folder, before the first record, also where workers work on the records. */
  begin?(): Promise<void>;
  /** Called once every input has ended and its outcome is on disk, before the stage counts as done. */
  finish?(): Promise<void>;
  /** May throw `RecordFailure`, which the runner makes a failure of the record, and `RunHalted`: it is pending. */
  run(record: In, context: StageContext): Promise<StageOutcome<Out>>;
}

/** One record's way through a corpus stage. */
export interface CorpusOutcome<Out> extends RecordNames {
  /** Place of the record among the stage's inputs, from 0. */
  readonly index: number;
  readonly outcome: StageOutcome<Out>;
}

/** What the ledger names a record by; `rollout` and `repairs` as in {@link Identified}. */
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
 * The outcomes of records that a corpus stage decides on one after another.
 *
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

/** A stage that brings records in: the index is the place of the row among all rows read, bad ones included. */
export interface SourceStage<Out extends Identified> {
  readonly name: StageName;
  readonly version: number;
  readonly output: z.ZodType<Out>;
  /** On how many records of the last run each remark was made: what was done to them or left out. Absent: none are. */
  readonly remarks?: ReadonlyMap<string, number>;
  run(context: StageContext): AsyncIterable<CorpusOutcome<Out>>;
}

/**
 * A stage that needs to see all records, in input order. It streams: one outcome for each record that comes in, in any
 * order. The records can be read more than once, one reading after the other: first to measure, then to decide.
 */
export interface CorpusStage<In extends Identified, Out extends Identified> {
  readonly name: StageName;
  readonly version: number;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  run(records: AsyncIterable<In>, context: StageContext): AsyncIterable<CorpusOutcome<Out>>;
}

/** An outcome that emits one record. */
export function emitRecord<Out>(record: Out): StageOutcome<Out> {
  return { kind: 'emit', records: [record] };
}

/** An outcome that drops the record for a reason. */
export function dropRecord(reason: DropReason, evidence: JsonObject): StageOutcome<never> {
  return { kind: 'drop', reason, evidence };
}
