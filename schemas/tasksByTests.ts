import { z } from 'zod';

/** Programming tasks by number of tests: `{"2": 31}` is 31 tasks with two tests each. */
export const tasksByTestsSchema = z.record(z.string().regex(/^\d+$/), z.int().positive());
export type TasksByTests = z.infer<typeof tasksByTestsSchema>;

/** Minimum average of tests in the paper's programming tasks (arXiv 2508.13167). */
export const usualTests = 50;

/** Maximum numbers of tests listed individually in the notice. */
const mostNamed = 4;

/** Counts with one more task of this many tests. */
export function withTask(counts: TasksByTests, tests: number): TasksByTests {
  return { ...counts, [tests]: (counts[tests] ?? 0) + 1 };
}

/**
 * Notice about tasks with few tests, with advice; undefined if all have at least {@link usualTests}. A program that
 * only handles the tests passes them, which is easy with few: LiveCodeBench's questions contain theirs.
 */
export function fewTestsNotice(counts: TasksByTests): string | undefined {
  // Integer keys of an object are in ascending order.
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
