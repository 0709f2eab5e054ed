import {
  type CorpusOutcome,
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type Identified,
  type StageContext,
} from '../../contract/stage.ts';
import type { DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { openBenchmarks } from './openBenchmarks.ts';

/** A record that asks something, a task for instance. */
type AskedRecord = Identified & { readonly question: string };

/** Works on tasks, and on whatever else asks something. */
interface AskedStage {
  run<T extends AskedRecord>(
    records: AsyncIterable<T>,
    context: StageContext,
  ): AsyncIterable<CorpusOutcome<T>>;
}

/**
 * Drops tasks whose question stands in a benchmark; the evidence is a `Contamination`. The benchmarks' questions are
 * held as hashes and in a temporary file. Throws `UserError` for benchmarks that can't be read.
 */
export function createDecontaminateStage(config: DecontaminateConfig): CorpusStage<Task, Task> & AskedStage {
  return {
    name: 'decontaminate',
    version: 2,
    input: taskSchema,
    output: taskSchema,
    async *run<T extends AskedRecord>(tasks: AsyncIterable<T>, { signal }: StageContext) {
      const benchmarks = await openBenchmarks(config, signal);
      try {
        yield* decideEach(tasks, (task) => {
          const found = benchmarks.find(task.question);
          return found ? dropRecord('contaminated', { ...found }) : emitRecord(task);
        });
      } finally {
        benchmarks.close();
      }
    },
  };
}
