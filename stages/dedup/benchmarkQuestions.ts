import { decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import type { Contamination } from '../../schemas/contamination.ts';
import { openBenchmarks } from './createDecontaminateStage.ts';

/** Benchmark questions, stored as hashes. */
export interface BenchmarkQuestions {
  /** Benchmark question that a question equals or contains; undefined if clean. */
  find(question: string): Contamination | undefined;
  close(): void;
}

/**
 * Reads benchmarks: parquet, JSONL, JSON or CSV files, or folders of them.
 * @throws UserError for files that can't be read
 */
export function openBenchmarkQuestions(
  paths: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<BenchmarkQuestions> {
  const config = decontaminateConfigSchema.parse({ benchmarks: paths.map((path) => ({ path })) });
  return openBenchmarks(config, signal);
}
