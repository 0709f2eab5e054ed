import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { jsonObjectSchema } from '../base/json.ts';
import { synthesisSchema } from './taskSynthesis.ts';

/** What kind of question a task is; it decides how an answer is judged. */
export const domainSchema = z.enum(['qa', 'math', 'code']);
export type Domain = z.infer<typeof domainSchema>;

/** How a program is tested: by its output for given input, or by Python statements run after it. */
export const taskTestsSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stdin'),
    cases: z.array(z.object({ stdin: z.string(), expected_output: z.string() })).min(1),
  }),
  z.object({
    kind: z.literal('functional'),
    /** Python statements that call the solution and assert; each is run after the program, on its own. */
    checks: z.array(z.string().min(1)).min(1),
    /** The function or method that the checks call, where the file names it. */
    func_name: z.string().optional(),
    /** The signature that the task gives. */
    starter_code: z.string().optional(),
    /** Python that stands before the program: imports and classes that the task takes for granted. */
    import_prefix: z.string().optional(),
  }),
]);
export type TaskTests = z.infer<typeof taskTestsSchema>;

/** What stands for tests that lie in a file of the run, since they are too long for records. */
export const storedTestsSchema = z.object({
  kind: z.literal('stored'),
  /** SHA-256 of the tests as JSON: it names their file, and tells whether they have changed. */
  sha256: z.string(),
  /** How many tests there are. */
  count: z.int().positive(),
  func_name: z.string().optional(),
  starter_code: z.string().optional(),
});
export type StoredTests = z.infer<typeof storedTestsSchema>;

/** The tests of a program: in the record itself, or in a file of the run. */
export const recordTestsSchema = z.discriminatedUnion('kind', [
  ...taskTestsSchema.options,
  storedTestsSchema,
]);
export type RecordTests = z.infer<typeof recordTestsSchema>;

/** How many tests a program must pass. */
export function testCount(tests: RecordTests): number {
  if (tests.kind === 'stored') return tests.count;
  return (tests.kind === 'stdin' ? tests.cases : tests.checks).length;
}

/** Where a task was read: kept for messages, never part of its id. */
export const taskSourceSchema = z.object({
  /** File name without its folder, so that records are equal on every machine. */
  file: z.string(),
  /** Line number (text formats) or row number (parquet, arrays), from 1. */
  row: z.int().positive(),
  /** The data set's own name for where the row comes from. */
  data_source: z.string().optional(),
});

/** How often a model without tools solved a task before a teacher was asked. */
export const taskProbeSchema = z.object({
  /** Tries that were right. */
  passed: z.int().nonnegative(),
  /** Tries that were right or wrong. */
  samples: z.int().positive(),
  /** Tries that the judge could not decide. In no rate. */
  unscored: z.int().nonnegative(),
  /** Wrong ones that gave no answer: cut off, refused or without one. */
  without_answer: z.int().positive().optional(),
});
export type TaskProbe = z.infer<typeof taskProbeSchema>;

/** One question to be solved by the teacher, with what its answer is judged against. */
export const taskSchema = z.object({
  id: z.string(),
  /** The id that the task file gave, where it gave one. */
  given_id: z.string().optional(),
  question: z.string().min(1),
  /** Gold answers, any of which is right. Empty only where `tests` judge the answer. */
  answers: z.array(z.string()),
  domain: domainSchema,
  /** Name of the agent profile that solves it. */
  profile: z.string(),
  source: taskSourceSchema,
  tests: recordTestsSchema.optional(),
  /** What the stage `probe` found; absent where it did not measure the task. */
  probe: taskProbeSchema.optional(),
  /** How `synthesize` made the task; absent for other tasks. */
  synthesis: synthesisSchema.optional(),
  /** Columns of the file that have no place above. */
  extra: jsonObjectSchema.optional(),
});
export type Task = z.infer<typeof taskSchema>;

/** The id of a task: a hash of what is asked and how it is judged, not of where it stood. */
export function taskId(task: Omit<Task, 'id' | 'source' | 'extra' | 'probe' | 'synthesis'>): string {
  const { given_id, question, answers, domain, profile, tests } = task;
  return contentId('task', { given_id, question, answers, domain, profile, tests });
}
