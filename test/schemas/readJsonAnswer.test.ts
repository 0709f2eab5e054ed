import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJsonAnswer } from '../../schemas/readJsonAnswer.ts';

const anyObject = fc.dictionary(fc.string(), fc.jsonValue());
const wrappings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => `  ${json}\n`,
  (json) => `<think>maybe {this}</think>\n${json}`,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `Here it is: ${json} I hope it helps.`,
];

describe('a JSON object is found', () => {
  test('however it is wrapped', () => {
    fc.assert(
      fc.property(anyObject, fc.constantFrom(...wrappings), (value, wrap) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(readJsonAnswer(wrap(JSON.stringify(plain)))).toEqual({ ok: true, value: plain });
      }),
    );
  });
});

test.each([
  [null, 'the answer is empty'],
  ['  ', 'the answer is empty'],
  ['<think>hm</think>', 'the answer is empty'],
  ['[1, 2]', 'the answer is JSON, but not an object'],
  ['{"a": 1', 'not JSON'],
  ['I would say Paris.', 'not JSON'],
])('%j is refused: %s', (content, error) => {
  expect(readJsonAnswer(content)).toMatchObject({ ok: false, error: expect.stringContaining(error) });
});

test('the object stands in a fence whose words around it hold braces', () => {
  const text = 'So {this}:\n```json \n\n{"a": "``` b"}\n  ```\nand {that}.';
  expect(readJsonAnswer(text)).toEqual({ ok: true, value: { a: '``` b' } });
});

test.each(['\n', '```json\n', '```', ' ', '{', '}', '<think>', '"', '\\'])(
  'a megabyte of %j is read to its end',
  (unit) => {
    const text = `\`\`\`json\n${unit.repeat((1 << 20) / unit.length)}x`;
    expect(readJsonAnswer(text)).toMatchObject({ ok: false });
    expect(readJsonAnswer(`${text}\n\`\`\``)).toMatchObject({ ok: false });
  },
);
