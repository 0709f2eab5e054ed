import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { parseRow } from '../../../base/rows/fileRow.ts';
import { repeatedKey, safeParseLine } from '../../../base/rows/repeatedKey.ts';
import { readPassRates } from '../../../stages/filter/passRates.ts';
import { loadScript } from '../../../teachers/scripted/loadScript.ts';
import { parsePassage } from '../../../tools/wikiSearch/passage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

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

test.each([
  ['{"id": "a", "id": "b"}', /^the key "id" stands twice/],
  ['{"id": "a"', /^not JSON \(/],
  ['{"id": "a"}', undefined],
  [`{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`, undefined],
])('a line that is written by hand is told what is wrong with it (%#)', (text, error) => {
  const parsed = safeParseLine(text, Number.POSITIVE_INFINITY);
  expect('error' in parsed ? parsed.error : undefined).toEqual(error && expect.stringMatching(error));
});

test('scripts, corpora and pass rates refuse a key that stands twice', async () => {
  const twice = /:1: the key "question" stands twice|line 1: the key "question" stands twice/;
  const file = join(temporaryFolder(), 'lines.jsonl');
  mkdirSync(dirname(file), { recursive: true });
  const line = '{"question": "a", "question": "b", "id": "1", "contents": "c", "passed": 1, "samples": 2}';
  writeFileSync(file, `${line}\n`);
  await expect(loadScript(file)).rejects.toThrow('the key "question" stands twice');
  expect(() => parsePassage(Buffer.from(line), file, 1)).toThrow(twice);
  await expect(readPassRates(file, 'filters.difficulty.file')).rejects.toThrow(twice);
});
