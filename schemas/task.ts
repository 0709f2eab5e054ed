import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { jsonObjectSchema } from '../base/json.ts';
import { synthesisSchema } from './taskSynthesis.ts';

/** Kind of a task, which determines how an answer is judged. */
export const domainSchema = z.enum(['qa', 'math', 'code']);
export type Domain = z.infer<typeof domainSchema>;

/** Tests of a program: expected output for input, or Python statements run after it. */
export const taskTestsSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stdin'),
    cases: z.array(z.object({ stdin: z.string(), expected_output: z.string() })).min(1),
  }),
  z.object({
    kind: z.literal('functional'),
    /** Python statements that call the solution and assert; each runs separately after the program. */
    checks: z.array(z.string().min(1)).min(1),
    /** Function or method under test, if the file names it. */
    func_name: z.string().optional(),
    /** Signature given by the task. */
    starter_code: z.string().optional(),
    /** Python before the program: imports and classes that the task assumes. */
    import_prefix: z.string().optional(),
  }),
]);
export type TaskTests = z.infer<typeof taskTestsSchema>;

/** Reference to tests in a file of the run, because they are too long for records. */
export const storedTestsSchema = z.object({
  kind: z.literal('stored'),
  /** SHA-256 of the tests as JSON: names their file and detects changes. */
  sha256: z.string(),
  /** Number of tests. */
  count: z.int().positive(),
  func_name: z.string().optional(),
  starter_code: z.string().optional(),
});
export type StoredTests = z.infer<typeof storedTestsSchema>;

export const recordTestsSchema = z.discriminatedUnion('kind', [
  ...taskTestsSchema.options,
  storedTestsSchema,
]);
export type RecordTests = z.infer<typeof recordTestsSchema>;

/** Number of tests that a program must pass. */
export function testCount(tests: RecordTests): number {
  if (tests.kind === 'stored') return tests.count;
  return (tests.kind === 'stdin' ? tests.cases : tests.checks).length;
}

/** Position of a task in its source: for messages, never part of its id. */
export const taskSourceSchema = z.object({
  /** File name without its folder, so that records are equal on every machine. */
  file: z.string(),
  /** Line number (text formats) or row number (parquet, arrays), from 1. */
  row: z.int().positive(),
  /** Data set's own name for the row's origin. */
  data_source: z.string().optional(),
});

/** Solve rate of a model without tools, measured before a teacher was asked. */
export const taskProbeSchema = z.object({
  /** Right tries. */
  passed: z.int().nonnegative(),
  /** Right and wrong tries. */
  samples: z.int().positive(),
  /** Tries that the judge could not decide; excluded from rates. */
  unscored: z.int().nonnegative(),
  /** Wrong tries without an answer: truncated, refused or missing. */
  without_answer: z.int().positive().optional(),
});
export type TaskProbe = z.infer<typeof taskProbeSchema>;

/** A question for the teacher, with the data for judging its answer. */
export const taskSchema = z.object({
  id: z.string(),
  /** Id in the task file, if any. */
  given_id: z.string().optional(),
  question: z.string().min(1),
  /** Gold answers, any of which is right. Empty only if `tests` judge the answer. */
  answers: z.array(z.string()),
  domain: domainSchema,
  /** Name of the agent profile that solves it. */
  profile: z.string(),
  source: taskSourceSchema,
  tests: recordTestsSchema.optional(),
  /** Result of the stage `probe`; absent if it did not measure the task. */
  probe: taskProbeSchema.optional(),
  /** Origin of a synthesised task; absent for other tasks. */
  synthesis: synthesisSchema.optional(),
  /** Further columns of the file. */
  extra: jsonObjectSchema.optional(),
});
export type Task = z.infer<typeof taskSchema>;

/** Id of a task: a hash of the question and its judging data, not of its position. */
export function taskId(task: Omit<Task, 'id' | 'source' | 'extra' | 'probe' | 'synthesis'>): string {
  const { given_id, question, answers, domain, profile, tests } = task;
  return contentId('task', { given_id, question, answers, domain, profile, tests });
}
