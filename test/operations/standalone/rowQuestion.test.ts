import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { rowQuestion } from '../../../operations/standalone/sourceRow.ts';
import { renderPrompt } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { sourceRowOf } from './support/sourceRowOf.ts';

const profiles = Object.values(builtinProfiles);
const question = fc.lorem({ maxCount: 8 }).map((text) => text.trim());
const ask = (row: JsonObject, column?: string) => rowQuestion(sourceRowOf(row), { column, profiles });

test('the prompt of a profile is no part of the question, in any layout', () => {
  fc.assert(
    fc.property(fc.constantFrom(...profiles), question, (profile, asked) => {
      const { user, instruction, input } = renderPrompt(profile, asked);
      const rows: JsonObject[] = [
        { instruction, input, output: '' },
        {
          messages: [
            { role: 'system', content: 'S' },
            { role: 'user', content: user },
          ],
        },
        {
          conversations: [
            { from: 'human', value: user },
            { from: 'gpt', value: 'x' },
          ],
        },
        { question: asked, instruction },
      ];
      for (const row of rows) expect(ask(row)).toBe(asked);
    }),
  );
});

test('beside a prompt, a column such as task says what kind of question it is', () => {
  fc.assert(
    fc.property(fc.constantFrom('query', 'prompt', 'task'), question, (column, asked) => {
      const kind = { [column]: 'translation' };
      expect(ask({ ...kind, instruction: asked, input: '', output: 'x' })).toBe(asked);
      expect(ask({ ...kind, messages: [{ role: 'user', content: asked }] })).toBe(asked);
      expect(ask(kind)).toBe('translation');
    }),
  );
});

test('other rows', () => {
  expect(ask({ instruction: 'Translate.', input: 'Haus' })).toBe('Translate.\nHaus');
  expect(ask({ instruction: 'Answer.', input: 'Question: Who?' })).toBe('Who?');
  expect(ask({ problem: '1 + 1' })).toBe('1 + 1');
  expect(ask({ a: { b: ['x', 'y'] } }, 'a.b.1')).toBe('y');
  expect(ask({ prompt: [{ role: 'user', content: 'Be brief.\n\nTask: 2 + 2' }] })).toBe('2 + 2');
  expect(ask({ question: '', query: 'Who?' })).toBe('Who?');
  expect(() => ask({ a: 1 }, 'a')).toThrow('a: expected a text, found 1');
  expect(() => ask({ a: 1 }, 'b')).toThrow('b: expected a text, found no such column');
  expect(() => ask({ problem: 'x'.repeat(10_000_001) })).toThrow('question: expected at most 10000000 char');
  expect(() => ask({ text: 'x' })).toThrow('found the columns text');
});
