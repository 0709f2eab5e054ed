import { type CorpusStage, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { openBenchmarks } from './openBenchmarks.ts';

/**
 * Drops tasks whose question stands in a benchmark; the evidence is a `Contamination`. The benchmarks' questions are
 * held as hashes and in a temporary file. Throws `UserError` for benchmarks that can't be read.
 */
export function createDecontaminateStage(config: DecontaminateConfig): CorpusStage<Task, Task> {
  return {
    name: 'decontaminate',
    version: 1,
    input: taskSchema,
    output: taskSchema,
    async *run(tasks, { signal }) {
      const benchmarks = await openBenchmarks(config, signal);
      try {
        let index = 0;
        for await (const task of tasks) {
          const found = benchmarks.find(task.question);
          const outcome = found ? dropRecord('contaminated', { ...found }) : emitRecord(task);
          yield { index: index++, recordId: task.id, taskId: task.id, outcome };
        }
      } finally {
        benchmarks.close();
      }
    },
  };
}
