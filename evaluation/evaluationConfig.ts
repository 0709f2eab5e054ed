import { z } from 'zod';
import { registerSection } from '../schemas/config/config.ts';
import { judgeConfigSchema } from '../schemas/config/judge.ts';
import { inputPath, key, plainText, share } from '../schemas/config/keyMeaning.ts';
import { samplingConfigSchema } from '../schemas/config/sampling.ts';
import { taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { benchmarkRows } from './benchmarkTable.ts';

const names = [...benchmarkRows.keys()].join(', ');
const source = taskSourceConfigSchema.shape;
const unlessListed = <Schema extends z.ZodType>(schema: Schema, what: string, absent: string) =>
  key(schema, `${what}; absent: ${absent}`);

export const benchmarkConfigSchema = z.strictObject({
  name: key(
    plainText.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/,
      'letters, digits, dots, dashes and underscores, at most 61',
    ),
    `A name of yours, or one of the known, which brings its settings: ${names}; several files of one may be told apart by a suffix such as gaia-dev`,
  ),
  file: source.file,
  profile: unlessListed(source.profile.optional(), 'Agent profile', "that of the benchmark's name"),
  preset: source.preset,
  columns: source.columns,
  tests_from: source.tests_from,
  domain: source.domain,
  limit: source.limit,
  samples: unlessListed(
    z.int().min(1).max(1_000).optional(),
    'Samples of each task',
    "teacher.rollouts where it is a number, or that of the benchmark's name, or 1",
  ),
  text: unlessListed(
    judgeConfigSchema.shape.text.unwrap().optional(),
    'Who judges text answers, as judge.text',
    "judge.text, or that of the benchmark's name",
  ),
  sampling: samplingConfigSchema
    .optional()
    .describe("How the player is sampled; absent: that of teacher.model, or that of the benchmark's name"),
  group_by: unlessListed(
    plainText.optional(),
    'Column by which scores are shown apart',
    "that of the benchmark's name, or none",
  ),
  cluster_by: key(
    plainText.optional(),
    'Column whose equal values are one cluster, such as a document that several questions are about: intervals take it as one; absent: every task by itself',
  ),
});
export type BenchmarkConfig = z.infer<typeof benchmarkConfigSchema>;

export const evaluationConfigSchema = z.strictObject({
  benchmarks: z
    .array(benchmarkConfigSchema)
    .min(1)
    .optional()
    .describe('What is played; absent: each source of tasks is a benchmark'),
  max_unscored: key(share.default(0.05), 'Share of unscored samples above which there is no score'),
  best_of_n: key(
    z.boolean().default(false),
    'Whether judge.model picks the best of the samples of each task, without the right answer: the score of what it picked, and what the picking cost',
  ),
  training_data: key(
    z.array(inputPath).default([]),
    'Files or folders that the player learned from: tasks whose questions stand there are scored apart; absent: not looked at',
  ),
});
export type EvaluationConfig = z.infer<typeof evaluationConfigSchema>;

declare module '../schemas/config/config.ts' {
  interface CapabilitySections {
    readonly evaluation?: EvaluationConfig | undefined;
  }
}
registerSection(
  'evaluation',
  evaluationConfigSchema.optional().describe('What coa-distill evaluate plays; a run leaves it alone'),
);
