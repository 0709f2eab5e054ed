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
  /**
   * `exact`: the benchmark's question whole, alone or as a sentence of a longer one. `fuzzy`: the same telling words.
   * `ngram`: long runs of the same words.
   */
  kind: z.enum(['exact', 'fuzzy', 'ngram']),
  /** Words of the n-gram: 8 or 13; of an exact or fuzzy match, the words of the benchmark's question. */
  n: z.int().positive(),
  /** Share of the shorter question's 8-grams that both have; 1 for exact and fuzzy matches. */
  share: z.number().min(0).max(1),
  /** The longest run of words that both have, as the benchmark writes it; cut after 500 characters. */
  shared_text: z.string(),
});
export type Contamination = z.infer<typeof contaminationSchema>;
