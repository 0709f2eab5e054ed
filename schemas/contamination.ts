import { z } from 'zod';

/** Position of a benchmark's question. Ledger evidence may have its own `file` and `row`. */
export const benchmarkRowSchema = z.object({
  benchmark: z.string(),
  /** File name without its folder; relative path for files of a folder. */
  benchmark_file: z.string(),
  /** Line number (JSONL, CSV) or row number (JSON, parquet), from 1. */
  benchmark_row: z.int().positive(),
});
export type BenchmarkRow = z.infer<typeof benchmarkRowSchema>;

/** Benchmark match: the evidence of the reason `contaminated`. */
export const contaminationSchema = z.object({
  ...benchmarkRowSchema.shape,
  /** The benchmark's question; cut after 500 characters. */
  shared_text: z.string(),
});
export type Contamination = z.infer<typeof contaminationSchema>;
