import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { parseRow } from '../../../base/rows/fileRow.ts';
import { repeatedKey } from '../../../base/rows/repeatedKey.ts';

const rows = fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>;
const keys = fc.string({ unit: 'binary' });

test('a row whose keys are each there once has none that repeats, however it is spaced', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(undefined, 1, '\t'), (row, indent) => {
      const text = JSON.stringify(row, undefined, indent);
      expect(repeatedKey(text, JSON.parse(text))).toBeUndefined();
    }),
  );
});

test('a key that is there twice is found, at any depth, beside any others', () => {
  fc.assert(
    fc.property(keys, rows, rows, fc.nat(3), (key, one, other, depth) => {
      const before: JsonObject = { [`${key}?`]: one, more: [one, { [key]: other }] };
      const pair = `${JSON.stringify(before).slice(0, -1)},${JSON.stringify(key)} : 1,${JSON.stringify(key)}\n:2}`;
      const text = `${'[{"":'.repeat(depth)}${pair}${'}]'.repeat(depth)}`;
      fc.pre(!(key in before));
      expect(repeatedKey(text, JSON.parse(text))).toBe(key);
    }),
  );
});

test('a row with a key twice is a problem that names it, also where the two are spelt in two ways', () => {
  const problem = (text: string) => parseRow(Buffer.from(text));
  for (const text of [
    '{"q":1,"q":1}',
    '{"q":1,"\\u0071":2}',
    '[{"a":[{"q":"\\"q\\":"},{"q":1,"b":2,"q":3}]}]',
  ])
    expect(problem(text), text).toEqual({ problem: expect.stringContaining('"q"') });
  expect(problem('{"__proto__":1,"a":{"__proto__":2}}')).toHaveProperty('value');
});
