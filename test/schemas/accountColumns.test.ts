import { expect, test } from 'vitest';
import type { RecordTests } from '../../schemas/task.ts';
import { assertNamesFunction } from '../../schemas/tasks/accountColumns.ts';

const named = (question: string, func_name: string) => {
  const tests = { kind: 'functional', checks: ['assert True'], func_name } as RecordTests;
  try {
    assertNamesFunction(question, tests, { where: 'question' });
    return true;
  } catch (error) {
    return (error as { reason?: string }).reason ?? (error as Error).name;
  }
};

test.each([
  ['Write a function longestRow(nums).', 'longestRow', true],
  ['Write a function longestrow.', 'longestRow', true],
  ['Write a function longestRows.', 'longestRow', false],
  ['Give the class Solution a method add, as Solution.add.', 'Solution.add', true],
  // Names come from files of others: none is a pattern.
  ['Write f.', '(', false],
  ['Write f.', '.*', false],
  ['Write f.', 'f)|(', false],
])('%s names %s: %s', (question, name, isNamed) => {
  expect(named(question, name) === true).toBe(isNamed);
  if (!isNamed) expect(named(question, name)).not.toBe('SyntaxError');
});
