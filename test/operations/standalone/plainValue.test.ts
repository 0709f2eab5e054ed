import { expect, test } from 'vitest';
import { plainValue } from '../../../operations/standalone/sourceRow.ts';

test('a date that JavaScript can not hold is text, as every date', () => {
  const row = { made: new Date(0), damaged: new Date(Number.NaN) };
  expect(plainValue(row)).toEqual({ made: '1970-01-01T00:00:00.000Z', damaged: 'Invalid Date' });
});
