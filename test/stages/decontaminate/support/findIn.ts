import type { Contamination } from '../../../../schemas/contamination.ts';
import { BenchmarkIndex } from '../../../../stages/dedup/benchmarkIndex.ts';

/** The question that a text is or holds, of a benchmark of these questions, whose rows count from 1. */
export function findIn(benchmark: readonly string[], asked: string): Contamination | undefined {
  const index = new BenchmarkIndex();
  try {
    for (const [at, question] of benchmark.entries())
      index.add(question, { benchmark: 'b', benchmark_file: 'b.jsonl', benchmark_row: at + 1 });
    return index.find(asked);
  } finally {
    index.close();
  }
}
