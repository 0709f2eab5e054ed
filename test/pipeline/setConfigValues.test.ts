import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';

const key = fc.stringMatching(/^[a-z][a-z_]{0,8}$/).filter((name) => !(name in Object.prototype));
const keys = fc.array(key, { minLength: 1, maxLength: 4 });
const config = fc.dictionary(key, fc.dictionary(key, fc.jsonValue(), { maxKeys: 3 }), { maxKeys: 3 });

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((at, name) => (at as Record<string, unknown>)?.[name], value);

test('the value stands where it was set, everything else stays, and what was given is not touched', () => {
  fc.assert(
    fc.property(config, keys, fc.jsonValue(), (before, path, value) => {
      const copy = structuredClone(before);
      const pair = `${path.join('.')}=${JSON.stringify(value)}`;
      let after: JsonObject;
      try {
        after = setConfigValues(before, [pair]);
      } catch (error) {
        expect((error as Error).message).toMatch(/^--set .*: (there is no key|expected a place)/s);
        return;
      }
      expect(before).toEqual(copy);
      expect(valueAt(after, path)).toEqual(JSON.parse(JSON.stringify(value)));
      const { [path[0]!]: _, ...others } = after;
      const { [path[0]!]: __, ...othersBefore } = before;
      expect(others).toEqual(othersBefore as Record<string, JsonValue>);
    }),
  );
});

test('values are YAML, numbers are places in lists, later pairs win', () => {
  const before = { rules: [{ most: 1 }, { most: 2 }], name: 'a' };
  expect(setConfigValues(before, ['rules.1.most=7', 'name=b', 'name=c d', 'on=true', 'none='])).toEqual({
    rules: [{ most: 1 }, { most: 7 }],
    name: 'c d',
    on: true,
    none: null,
  });
  expect(setConfigValues(undefined, ['a.b={c: [1, x]}'])).toEqual({ a: { b: { c: [1, 'x'] } } });
});

test.each([
  ['filters', 'expected key=value'],
  ['=1', 'expected key=value'],
  ['a..b=1', 'expected key=value'],
  ['__proto__.x=1', 'expected key=value'],
  ['name.x=1', 'there is no key "x" below "a"'],
  ['rules.9.most=1', 'expected a place from 0 to 1 in a list, got "9"'],
  ['rules.x=1', 'expected a place from 0 to 1 in a list, got "x"'],
  ['name=[', 'the value is not valid YAML'],
])('%s is the user’s mistake', (pair, words) => {
  expect(() => setConfigValues({ name: 'a', rules: [{}] }, [pair])).toThrow(words);
});
