import { z } from 'zod';
import { datasetConfigSchema, trainingConfigSchema } from './dataset.ts';
import { filtersConfigSchema, judgeConfigSchema } from './filters.ts';
import { tasksConfigSchema } from './tasks.ts';
import { teacherConfigSchema } from './teacher.ts';
import { toolsConfigSchema } from './tools.ts';

/** A run's configuration: `coa.yaml`. Unknown keys are mistakes. */
export const configSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a run name is letters, digits, dots, dashes and underscores')
    .optional()
    .describe("Run name; the configuration file's name where absent"),
  seed: z.int().nonnegative().default(7).describe('Of every seeded choice'),
  runs_dir: z.string().default('runs').describe('Where run folders go, from the working directory'),
  tasks: tasksConfigSchema,
  teacher: teacherConfigSchema.prefault({}),
  tools: toolsConfigSchema.prefault({}),
  judge: judgeConfigSchema.prefault({}),
  filters: filtersConfigSchema.prefault({}),
  dataset: datasetConfigSchema.prefault({}),
  training: trainingConfigSchema.prefault({}),
});
/** See {@link configSchema}. */
export type Config = z.infer<typeof configSchema>;
