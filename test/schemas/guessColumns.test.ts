import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { columnsYaml, missingColumns } from '../../schemas/tasks/guessColumns.ts';
import { layoutOf } from '../../schemas/tasks/layoutOf.ts';

const question = 'What is the capital of Peru?';
const user = { role: 'user', content: question };

test.each<[string, JsonObject, string]>([
  ['short names', { q: question, a: 'Lima', nr: 1 }, '{ question: q, answers: a }'],
  ['a nested answer', { question, reference: { gold: 'Lima', page: 3 } }, '{ answers: reference.gold }'],
  ['an answer in an object', { question, answer: { text: 'Lima' } }, '{ answers: answer.text }'],
  ['a chat', { messages: [user], answer: 'Lima' }, '{ question: "messages.-1.content" }'],
  [
    'a chat behind a system prompt, with its answer',
    {
      messages: [{ role: 'system', content: 'Be brief.' }, user, { role: 'assistant', content: 'Lima' }],
      gold: 'Lima',
    },
    '{ question: messages.1.content, answers: gold }',
  ],
  [
    'a value with aliases, which is a known layout',
    { question, answer: { value: 'Lima', aliases: [] } },
    '{  }',
  ],
])('the columns of %s', (_, row, columns) => {
  const layout = layoutOf({ preset: 'generic', columns: {} }, row, true);
  const found = missingColumns([row, row], layout, 'qa');
  expect(columnsYaml(found)).toBe(`columns: ${columns}`);
});

test('no question is guessed of a chat of several turns, whose others would be lost', () => {
  const row = { messages: [user, { role: 'assistant', content: 'Lima' }, user], answer: 'Lima' };
  const layout = layoutOf({ preset: 'generic', columns: {} }, row, true);
  expect(missingColumns([row], layout, 'qa')).toMatchObject([{ part: 'question', guess: undefined }]);
});
