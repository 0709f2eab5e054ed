import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { searchTerms } from '../../viewer/index/searchExpression.ts';

test.each<[string, string[], string[]]>([
  ['paris tower', ['"paris"*', '"tower"*'], []],
  ['"paris tower" old', ['"paris tower"', '"old"*'], []],
  ['paris -tower -tower paris', ['"paris"*'], ['"tower"*']],
  ['model:paris', ['model : "paris"*'], []],
  ['ids:"task_1"', ['ids : "task_1"'], []],
  ['say "he', ['"say"*', '"he"'], []],
])('%s', (text, wanted, unwanted) => {
  expect(searchTerms(text)).toEqual({ wanted, unwanted });
});

test.each(['', '   ', '-tower', '"', '***', '()'])('%j looks for nothing', (text) => {
  expect(searchTerms(text).wanted).toEqual([]);
});

test('thousands of words are refused, one that is typed thousands of times is one', () => {
  const words = Array.from({ length: 4_000 }, (_, nth) => `word${nth}`);
  expect(() => searchTerms(words.join(' '))).toThrow(UserError);
  expect(() => searchTerms(words.map((word) => `-${word}`).join(' '))).toThrow(UserError);
  expect(searchTerms('a '.repeat(4_000)).wanted).toEqual(['"a"*']);
});

test('whatever is typed is terms that SQLite takes', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE t USING fts5(question, answer, model, observation, ids)');
  const find = database.prepare('SELECT count(*) FROM t WHERE t MATCH ?');
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"', '-', ' ', '*', '(', 'AND', 'NEAR(', ':', 'model:', '^', '{', '\0', "'"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const { wanted, unwanted } = searchTerms(parts.join(''));
      for (const term of [...wanted, ...unwanted]) find.get(term);
    }),
    { numRuns: 300 },
  );
  database.close();
});
