import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRow } from '../../../base/rows/fileRow.ts';
import { JsonCutter, type ListPlace } from '../../../base/rows/jsonCutter.ts';
import { type CutPiece, LineCutter, type RowCutter } from '../../../base/rows/lineCutter.ts';
import { plainCell } from '../../../base/rows/plainCell.ts';
import { UserError } from '../../../base/userError.ts';
import { cases } from '../../support/cases.ts';

const list = (text: string, isWrapped = false): ListPlace => ({
  from: Buffer.from(text.slice(0, text.indexOf('['))).length,
  isWrapped,
});
const json = (place: ListPlace | undefined, maxBytes = 1 << 20) =>
  new JsonCutter({ file: 'x.json', maxBytes, list: place });

function cut(cutter: RowCutter, text: string, chunk: number): CutPiece[] {
  const bytes = Buffer.from(text);
  const pieces: CutPiece[] = [];
  for (let from = 0; from < bytes.length; from += chunk)
    pieces.push(...cutter.push(bytes.subarray(from, from + chunk)));
  return [...pieces, ...cutter.end()];
}

const rowsOf = (pieces: readonly CutPiece[]) =>
  pieces.flatMap((piece) => ('between' in piece ? [] : [piece]));
const valuesOf = (pieces: readonly CutPiece[]) =>
  rowsOf(pieces).map(({ bytes }) => JSON.parse(String(bytes)));
const joined = (pieces: readonly CutPiece[]) =>
  Buffer.concat(pieces.map((piece) => ('between' in piece ? piece.between : piece.bytes!))).toString();

const space = fc.constantFrom('', ' ', '\n', '\r\n\t');
const spaced = fc
  .tuple(fc.array(fc.jsonValue({ depthSize: 'small' })), space, fc.boolean(), fc.boolean())
  .map(([rows, gap, pretty, wrapped]) => {
    const items = rows.map((row) => JSON.stringify(row, null, pretty ? 2 : undefined));
    const text = `[${gap}${items.join(`${gap},${gap}`)}${gap}]${gap}`;
    return { rows, wrapped, text: wrapped ? `{"data":${text}, "more": [1, "]"]}` : `\uFEFF${gap}${text}` };
  });

test('a list is cut into its rows, whatever the chunks', () => {
  fc.assert(
    fc.property(spaced, fc.integer({ min: 1, max: 40 }), ({ rows, text, wrapped }, chunk) => {
      const pieces = cut(json(list(text, wrapped)), text, chunk);
      expect(valuesOf(pieces)).toEqual(JSON.parse(JSON.stringify(rows)));
      expect(joined(pieces)).toBe(text);
    }),
    { numRuns: cases(2_000) },
  );
});

test('values that stand one after another are cut, whatever the chunks', () => {
  const values = fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())));
  const gap = fc.constantFrom('', '\n', ' ');
  fc.assert(
    fc.property(values, gap, fc.integer({ min: 1, max: 40 }), (rows, between, chunk) => {
      const text = `\uFEFF${rows.map((row) => JSON.stringify(row, null, 1)).join(between)}`;
      const pieces = cut(json(undefined), text, chunk);
      expect(valuesOf(pieces)).toEqual(JSON.parse(JSON.stringify(rows)));
      expect(joined(pieces)).toBe(text);
    }),
    { numRuns: cases(500) },
  );
});

test('each row of a list has the line on which it begins', () => {
  const text = '[\n{"a":\n1},\n\n{"b":"\\n"}, 3\n]';
  expect(rowsOf(cut(json(list(text)), text, 7)).map((row) => row.line)).toEqual([2, 5, 5]);
});

test.each([
  ['[{"a":1}, {"b": [1', 'x.json: ends in the middle of row 2, which begins on line 1'],
  ['[\n{"a":1},\n{"b":"\\"', 'ends in the middle of row 2, which begins on line 3'],
  ['[{"a":1},', 'ends after row 1 without the closing ]'],
  ['[{"a":1} {"b":2}]', 'expected a comma before row 2'],
  ['[{"a":1},,{"b":2}]', 'expected a row after row 1, found a comma'],
  ['[,{"b":2}]', 'expected a row after row 0, found a comma'],
  ['[{"a":1},]', 'expected no comma after the last row'],
  ['[{"a":1}]\n[2]', 'line 2: expected nothing after the closing ]'],
])('%s is refused', (text, words) => {
  const read = () => cut(json(list(text)), text, 4);
  expect(read).toThrow(UserError);
  expect(read).toThrow(words);
});

describe('JSON lines', () => {
  const line = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom('', ' ', '\t', '{broken'),
  );
  const end = fc.constantFrom('\n', '\r\n', ' \n');

  test('are cut into rows, whatever the chunks and line ends', () => {
    fc.assert(
      fc.property(
        fc.array(line),
        end,
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        (lines, eol, mark, size) => {
          const text = `${mark ? '\uFEFF' : ''}${lines.map((one) => one + eol).join('')}`;
          const pieces = cut(new LineCutter(1 << 20), text, size);
          const expected = lines.flatMap((one, at) => (one.trim() === '' ? [] : [[one.trim(), at + 1]]));
          expect(rowsOf(pieces).map((row) => [String(row.bytes).trim(), row.line])).toEqual(expected);
          expect(joined(pieces)).toBe(text);
        },
      ),
      { numRuns: cases(2_000) },
    );
  });

  test('a row that nothing follows is said to end the file', () => {
    expect(rowsOf(cut(new LineCutter(99), '{"a":1}\n{"b":2}', 5)).map((row) => row.endsFile)).toEqual([
      false,
      true,
    ]);
  });
});

test.each([
  ['lines', new LineCutter(10), '{"a":"xxxxxxxxxxxxxxxxxxxx"}\n{"b":1}\n'],
  ['values', json(undefined, 10), '{"a":"xxxxxxxxxxxxxxxxxxxx"}{"b":1}'],
  ['a list', json(list('['), 10), '[{"a":"xxxxxxxxxxxxxxxxxxxx"},{"b":1}]'],
] as const)('a row that is too long is passed over, the next one read (%s)', (_, cutter, text) => {
  const [long, next] = rowsOf(cut(cutter, text, 5));
  expect(long).toMatchObject({ bytes: undefined, length: 28 });
  expect(String(next?.bytes)).toBe('{"b":1}');
});

test('a row keeps the digits of long integers, and is a problem where it is not JSON in UTF-8', () => {
  expect(parseRow(Buffer.from('{"a": 9007199254740993, "b": 1.50}'))).toEqual({
    value: { a: '9007199254740993', b: 1.5 },
  });
  expect(parseRow(Buffer.from('{"a":'))).toEqual({ problem: expect.stringContaining('not JSON') });
  expect(parseRow(Buffer.from('"\xff"', 'latin1'))).toEqual({
    problem: expect.stringContaining('not UTF-8'),
  });
});

test('digits are kept wherever a long number stands', () => {
  fc.assert(
    fc.property(fc.nat({ max: 40 }), fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }), (before, number) => {
      const row = parseRow(Buffer.from(`{"a": "${'x'.repeat(before)}", "n": ${number}}`));
      expect(row).toEqual({ value: { a: 'x'.repeat(before), n: String(number) } });
    }),
  );
});

test('cells of columns become JSON', () => {
  const cells = {
    made: new Date(0),
    damaged: new Date(Number.NaN),
    small: 5n,
    large: 2n ** 63n,
    infinite: Number.POSITIVE_INFINITY,
    bytes: new Uint8Array([1, 2]),
    ids: new Int32Array([1, 2]),
    list: [{ none: undefined }],
  };
  expect(plainCell(cells)).toEqual({
    made: '1970-01-01T00:00:00.000Z',
    damaged: 'Invalid Date',
    small: 5,
    large: '9223372036854775808',
    infinite: 'Infinity',
    bytes: 'AQI=',
    ids: [1, 2],
    list: [{ none: null }],
  });
});
