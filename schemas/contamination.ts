import { z } from 'zod';

/** Where a benchmark's question stands. Evidence of the ledger may have a `file` and `row` of its own. */
export const benchmarkRowSchema = z.object({
  benchmark: z.string(),
  /** File name without its folder; with the path from there for files of a folder. */
  benchmark_file: z.string(),
  /** Line number (JSONL, CSV) or row number (JSON, parquet), from 1. */
  benchmark_row: z.int().positive(),
});
export type BenchmarkRow = z.infer<typeof benchmarkRowSchema>;

/** What stands in a benchmark: the evidence of the reason `contaminated`. */
export const contaminationSchema = z.object({
  ...benchmarkRowSchema.shape,
  /** The benchmark's question; cut after 500 characters. */
  shared_text: z.string(),
});
export type Contamination = z.infer<typeof contaminationSchema>;
