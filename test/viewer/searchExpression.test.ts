import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { searchExpression } from '../../viewer/index/recordIndex.ts';

test.each([
  ['paris tower', '("paris"* AND "tower"*)'],
  ['"paris tower" old', '("paris tower" AND "old"*)'],
  ['paris -tower -tower paris -old', '("paris"*) NOT "tower"* NOT "old"*'],
  ['model:paris', '(model : "paris"*)'],
  ['ids:"task_1"', '(ids : "task_1")'],
  ['say "he', '("say"* AND "he")'],
])('%s', (text, expression) => {
  expect(searchExpression(text)).toBe(expression);
});

test.each(['', '   ', '-tower', '"', '***', '()'])('%j looks for nothing', (text) => {
  expect(searchExpression(text)).toBe('');
});

test('thousands of words are refused, one that is typed thousands of times is one', () => {
  const words = Array.from({ length: 4_000 }, (_, nth) => `word${nth}`);
  expect(() => searchExpression(words.join(' '))).toThrow(UserError);
  expect(() => searchExpression(words.map((word) => `-${word}`).join(' '))).toThrow(UserError);
  expect(searchExpression('a '.repeat(4_000))).toBe('("a"*)');
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
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const expression = searchExpression(parts.join(''));
      if (expression !== '') find.get(expression);
    }),
    { numRuns: 300 },
  );
  database.close();
});
