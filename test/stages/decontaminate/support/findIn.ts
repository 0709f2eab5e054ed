import { type ContaminationRule, contaminationRuleSchema } from '../../../../schemas/config/decontaminate.ts';
import type { Contamination } from '../../../../schemas/contamination.ts';
import { BenchmarkIndex } from '../../../../stages/decontaminate/benchmarkIndex.ts';

/** What of a question stands in a benchmark of these questions, whose rows count from 1. */
export function findIn(
  benchmark: readonly string[],
  asked: string,
  rule: Partial<ContaminationRule> = {},
): Contamination | undefined {
  const index = new BenchmarkIndex(contaminationRuleSchema.parse(rule));
  try {
    for (const [at, question] of benchmark.entries())
      index.add(question, { benchmark: 'b', benchmark_file: 'b.jsonl', benchmark_row: at + 1 });
    return index.find(asked);
  } finally {
    index.close();
  }
}
