import { z } from 'zod';

/** How many programming tasks have how many tests: `{"2": 31}` is 31 tasks with two tests each. */
export const tasksByTestsSchema = z.record(z.string().regex(/^\d+$/), z.int().positive());
export type TasksByTests = z.infer<typeof tasksByTestsSchema>;

/** Tests that the paper's programming tasks have at least, on average (arXiv 2508.13167). */
export const usualTests = 50;

/** Numbers of tests that the notice names one by one. */
const mostNamed = 4;

/** The counts with one more task of so many tests. */
export function withTask(counts: TasksByTests, tests: number): TasksByTests {
  return { ...counts, [tests]: (counts[tests] ?? 0) + 1 };
}

/**
 * Says how many tasks are judged by how few tests, and what to do about it; undefined where none has fewer than
 * {@link usualTests}. A program that only knows the tests passes them, and few are soon known: those of LiveCodeBench's
 * questions stand in the question.
 */
export function fewTestsNotice(counts: TasksByTests): string | undefined {
  // The keys of an object that are whole numbers come in order.
  const all = Object.entries(counts).map(([tests, tasks]) => ({ tests: Number(tests), tasks }));
  const few = all.filter(({ tests }) => tests < usualTests);
  if (few.length === 0) return undefined;
  const sum = (entries: typeof all) => entries.reduce((total, { tasks }) => total + tasks, 0);
  const named = few.length <= mostNamed ? few : few.slice(0, mostNamed - 1);
  const rest = few.slice(named.length);
  const parts = [
    ...named.map(({ tests, tasks }) => `${tasks} by ${tests}`),
    ...(rest.length > 0 ? [`${sum(rest)} by ${rest[0]!.tests} to ${rest.at(-1)!.tests}`] : []),
  ];
  return `${sum(few)} of ${sum(all)} programming tasks are judged by fewer than ${usualTests} tests (${parts.join(', ')}); the paper's have ${usualTests} and more on average. A program that only knows these tests passes: read hidden ones with tests_from, or drop such tasks with filters.min_tests`;
}
