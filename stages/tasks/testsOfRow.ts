import type { JsonObject } from '../../base/json.ts';
import type { TaskTests } from '../../schemas/task.ts';
import { findIn, type TaskLayout } from '../../schemas/tasks/taskLayout.ts';
import { type MappedTests, mapTests } from './mapTests.ts';

/** Where a row may have tests and what they call. */
export type TestColumns = Pick<TaskLayout, 'tests' | 'func_name' | 'starter_code' | 'import_prefix'>;

/** All tests of a row as one; columns that hold none are passed over. A problem names the column. */
export function testsOfRow(row: JsonObject, columns: TestColumns): MappedTests {
  const hints = {
    func_name: textAt(row, columns.func_name),
    starter_code: textAt(row, columns.starter_code),
    import_prefix: columns.import_prefix.flatMap((path) => findIn(row, [path]) ?? []).join('\n'),
  };
  const found = [];
  for (const path of columns.tests) {
    const column = findIn(row, [path]);
    const tests = column === undefined || column === '' ? undefined : mapTests(column, hints);
    if (tests && 'problem' in tests) return { problem: `the tests (column ${path}) ${tests.problem}` };
    if (tests) found.push(tests);
  }
  const joined = joinTests(found);
  if (!joined || !('problem' in joined)) return joined;
  return { problem: `columns ${columns.tests.join(', ')} ${joined.problem}` };
}

function textAt(row: JsonObject, paths: readonly string[]): string | undefined {
  const value = findIn(row, paths);
  return typeof value === 'string' ? value : undefined;
}

/** Tests of several columns as one; undefined for none; a problem where some call a function and others don't. */
function joinTests(parts: readonly TaskTests[]): TaskTests | undefined | { readonly problem: string } {
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  const [cases, checks] = [
    parts.flatMap((part) => (part.kind === 'stdin' ? part.cases : [])),
    parts.flatMap((part) => (part.kind === 'functional' ? part.checks : [])),
  ];
  if (cases.length > 0 && checks.length > 0) return { problem: 'hold tests by input and tests by call' };
  return first!.kind === 'stdin' ? { ...first!, cases } : { ...first!, checks };
}
