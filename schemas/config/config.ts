import { z } from 'zod';
import { balanceConfigSchema } from './balance.ts';
import { convertConfigSchema } from './convert.ts';
import { datasetConfigSchema } from './dataset.ts';
import { decontaminateConfigSchema } from './decontaminate.ts';
import { dedupConfigSchema } from './dedup.ts';
import { filtersConfigSchema } from './filters.ts';
import { judgeConfigSchema } from './judge.ts';
import { key, keyOf, placePath, plainText, positive, positiveInt, wholeNumber } from './keyMeaning.ts';
import { keyTree } from './keyTree.ts';
import { modelsConfigSchema } from './models.ts';
import { probeConfigSchema } from './probe.ts';
import { profileDeclarationSchema } from './profiles.ts';
import { reviewConfigSchema } from './review.ts';
import { scaleConfigSchema } from './scale.ts';
import { selectConfigSchema } from './select.ts';
import { targetConfigSchema } from './target.ts';
import { taskSourceConfigSchema, tasksConfigSchema } from './tasks.ts';
import { teacherConfigSchema } from './teacher.ts';
import { toolsConfigSchema } from './tools.ts';
import { trainingConfigSchema } from './training.ts';

/** The `budget` section: after a limit nothing new starts and the run exits with code 3. */
const budgetConfigSchema = z.strictObject({
  max_cost_usd: key(
    positive.optional(),
    'US dollars of the whole run, earlier sessions included; never passed. Needs prices and max_tokens; absent: no limit',
  ),
  max_tokens: key(
    positiveInt.optional(),
    'Prompt and answer tokens of the whole run; never passed. Needs max_tokens in sampling; absent: no limit',
  ),
  max_hours: key(positive.optional(), 'Hours of one session; calls in flight still finish; absent: no limit'),
});
export type BudgetConfig = z.infer<typeof budgetConfigSchema>;

/** The `cache` section: storage of model and tool answers, so that none is paid for twice. */
const cacheConfigSchema = z.strictObject({
  file: key(
    placePath.regex(/\.sqlite$/, 'a file name that ends in .sqlite').optional(),
    "SQLite file on a local disk, which several runs may share; absent: the run folder's cache.sqlite",
  ),
});

/** Sections available to every run. */
const runSchema = z.strictObject({
  name: keyOf('export')(
    plainText
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'letters, digits, dots, dashes and underscores, at most 100, the first a letter or digit',
      )
      .optional(),
    "Name of the run and its dataset; absent: the configuration file's name",
  ),
  seed: keyOf('rollout', 'filter', 'balance')(wholeNumber.default(7), 'Seed for all random choices'),
  runs_dir: key(
    placePath.default('runs'),
    "Folder of run folders; starts at the configuration's folder, as every path in it",
  ),
  models: modelsConfigSchema
    .prefault({})
    .describe('Models by a name of your choice, which sections name in their key model'),
  profiles: z
    .array(profileDeclarationSchema)
    .default([])
    .describe('Agent profiles of your own, beside the built-in ones'),
  tasks: tasksConfigSchema.describe('Tasks that are solved'),
  teacher: teacherConfigSchema.prefault({}).describe('The multi-agent system that solves tasks'),
  tools: toolsConfigSchema.prefault({}).describe('Tools that agents call'),
  cache: cacheConfigSchema.prefault({}).describe('Where answers of models and tools are kept'),
  budget: budgetConfigSchema
    .prefault({})
    .describe('Limits of the whole run; at one it ends with exit code 3'),
  convert: convertConfigSchema.prefault({}).describe('How a trace becomes one trajectory'),
  judge: judgeConfigSchema.prefault({}).describe('How answers are compared with the right ones'),
  filters: filtersConfigSchema.prefault({}).describe('What a trajectory must be to be kept'),
  select: selectConfigSchema
    .optional()
    .describe('Which of several good trajectories of a task stay; absent: all'),
  balance: balanceConfigSchema
    .optional()
    .describe('How many records of each kind are kept; absent: every record once'),
  review: reviewConfigSchema
    .optional()
    .describe('What follows from the reviews of people; absent: the defaults'),
  dedup: dedupConfigSchema.optional().describe('Near duplicates; absent: only equal questions are found'),
  target: targetConfigSchema
    .optional()
    .describe('What the dataset is to hold: no more tasks are worked on than it takes; absent: all are'),
  decontaminate: decontaminateConfigSchema
    .optional()
    .describe('Benchmarks that no task may come from; absent: none'),
  probe: probeConfigSchema
    .optional()
    .describe('How difficult tasks are for a model without tools, measured before the teacher; absent: not'),
  dataset: datasetConfigSchema.prefault({}).describe('Rows, masks and formats of the dataset'),
  training: trainingConfigSchema.prefault({}).describe('The training job that is planned'),
  scale: scaleConfigSchema
    .optional()
    .describe('Workers that the tasks are left to; absent: this process does all the work'),
});

/**
 * Sections of capabilities by name. A capability's room declares its section here and registers its schema: `declare
 * module '../schemas/config/config.ts' { interface CapabilitySections { ... } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms of capabilities fill it
export interface CapabilitySections {}

/** Validated configuration of a run with defaults applied. */
export type Config = z.infer<typeof runSchema> & CapabilitySections;

/** Schema of `coa.yaml` with the registered sections. Unknown keys are errors. */
export let configSchema = runSchema;

export let configKeys = keyTree(runSchema);

/** Adds the section of a capability. Call before reading any configuration. */
export function registerSection(name: keyof CapabilitySections, schema: z.ZodType): void {
  // Values of optional sections are typed by `CapabilitySections`.
  configSchema = configSchema.extend({ [name]: schema }) as unknown as typeof runSchema;
  configKeys = keyTree(configSchema);
}

/** Schema of a configuration without required tasks: for imports and tools outside a run. */
export function tasklessConfigSchema() {
  return configSchema.extend({
    tasks: tasksConfigSchema.extend({ sources: z.array(taskSourceConfigSchema).default([]) }).prefault({}),
  });
}
