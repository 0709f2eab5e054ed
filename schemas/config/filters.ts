import { z } from 'zod';

/** The `judge` section: how answers are compared with the gold ones. */
export const judgeConfigSchema = z.strictObject({
  min_f1: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Lowest F1 of a right text answer; 1 asks for the same words'),
  number_tolerance: z.number().nonnegative().default(1e-9).describe('Relative difference of equal numbers'),
  test_timeout_s: z.number().positive().default(10).describe('Wall-clock limit of one test of a program'),
});
/** See {@link judgeConfigSchema}. */
export type JudgeConfig = z.infer<typeof judgeConfigSchema>;

/** The `filters` section: what a trajectory must be to be kept. */
export const filtersConfigSchema = z.strictObject({
  min_interactions: z
    .record(z.string(), z.int().nonnegative())
    .default({})
    .describe("Fewest agent-tool interactions by profile; a profile's own default where absent"),
  max_redundant_tool_inputs: z.int().nonnegative().nullable().default(0).describe('null: not looked at'),
  duplicate_questions: z.enum(['drop', 'keep']).default('drop'),
});
/** See {@link filtersConfigSchema}. */
export type FiltersConfig = z.infer<typeof filtersConfigSchema>;
