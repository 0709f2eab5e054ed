import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderYaml } from '../../output/quoting/renderYaml.ts';

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'yes',
    'no',
    'on',
    '012',
    '1:30',
    '0x1f',
    '~',
    'null',
    '1e-7',
    '1_000',
    '.5',
    '# x',
    'a: b',
    '- a',
    '=',
    '<<',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-12, max: 1e6 }),
  fc.integer(),
  fc.boolean(),
);

test.each(['1.1', '1.2'] as const)('readers of YAML %s get every value back', (version) => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), scalar), (value) => {
      expect(parse(renderYaml(value), { version })).toEqual(value);
    }),
  );
});

test('small numbers have the point without which PyYAML takes them for strings', () => {
  expect(renderYaml({ a: 1e-7, b: 1.4e-5, c: 2.5e-9 })).toBe('a: 1.0e-7\nb: 0.000014\nc: 2.5e-9\n');
});

test('what YAML 1.1 reserves is quoted, as a key and as a value', () => {
  expect(renderYaml({ '=': '<<', '<<': ['='] })).toBe('"=": "<<"\n"<<":\n  - "="\n');
});

test('comments stand above their keys', () => {
  expect(renderYaml({ a: 1, b: 'x' }, { b: 'first\nsecond', c: 'nowhere' })).toBe(
    'a: 1\n# first\n# second\nb: x\n',
  );
});
