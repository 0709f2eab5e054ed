import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchExpression } from '../../viewer/index/searchExpression.ts';

test.each([
  ['paris tower', '"paris"* AND "tower"*'],
  ['"paris tower" old', '"paris tower" AND "old"*'],
  ['paris -tower', '"paris"* NOT "tower"*'],
  ['model:paris', 'model : "paris"*'],
  ['ids:"task_1"', 'ids : "task_1"'],
  ['say "he', '"say"* AND "he"'],
])('%s', (text, expression) => {
  expect(searchExpression(text)).toBe(expression);
});

test.each(['', '   ', '-tower', '"', '***', '()'])('%j looks for nothing', (text) => {
  expect(searchExpression(text)).toBeUndefined();
});

test('whatever is typed is an expression that SQLite takes', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE t USING fts5(question, answer, model, observation, ids)');
  const find = database.prepare('SELECT count(*) FROM t WHERE t MATCH ?');
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"', '-', ' ', '*', '(', 'AND', 'NEAR(', ':', 'model:', '^', '{', '\0', "'"),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const expression = searchExpression(parts.join(''));
      if (expression !== undefined) find.get(expression);
    }),
    { numRuns: 300 },
  );
  database.close();
});
