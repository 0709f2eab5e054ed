import { expect, test } from 'vitest';
import { assertLevels, parseJson, safeParseJson, storedLevels } from '../../base/json.ts';
import { parseExactJson } from '../../base/rows/fileRow.ts';

const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}12345678901234567890${'}'.repeat(levels)}`;

test('values may have 200 levels', () => {
  for (const text of [lists, objects]) {
    expect(safeParseJson(text(200)).ok).toBe(true);
    expect(safeParseJson(text(201))).toEqual({ ok: false, error: 'nested deeper than 200 levels' });
    expect(() => parseExactJson(text(200_000))).toThrow('nested deeper than 200 levels');
  }
  expect(safeParseJson(lists(storedLevels), storedLevels).ok).toBe(true);
});

test('texts that are nested too deep are judged as JSON first', () => {
  expect(() => parseJson(lists(300).slice(0, -1))).toThrow(SyntaxError);
});

test('a value that holds itself has too many levels', () => {
  const value: unknown[] = [];
  value.push({ value }, value);
  expect(() => assertLevels(value)).toThrow('nested deeper than 200 levels');
});
