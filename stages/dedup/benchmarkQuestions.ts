import { decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import type { Contamination } from '../../schemas/contamination.ts';
import { openBenchmarks } from './createDecontaminateStage.ts';

/** The questions of benchmarks, held as hashes. */
export interface BenchmarkQuestions {
  /** The benchmark's question that a question is or holds; undefined for a clean one. */
  find(question: string): Contamination | undefined;
  /** Removes the temporary file. */
  close(): void;
}

/**
 * Reads benchmarks: parquet, JSONL, JSON or CSV files, or folders of such.
 *
 * @throws UserError for files that can't be read
 */
export function openBenchmarkQuestions(
  paths: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<BenchmarkQuestions> {
  const config = decontaminateConfigSchema.parse({ benchmarks: paths.map((path) => ({ path })) });
  return openBenchmarks(config, signal);
}
