import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { createArrayScanner } from '../../output/lint/read/createArrayScanner.ts';
import { detectFormat } from '../../output/lint/read/detectFormat.ts';
import { createLineScanner, type FilePiece, type PieceScanner } from '../../output/lint/read/filePiece.ts';
import { readPieces } from '../../output/lint/read/readPieces.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

function piecesOf(scanner: PieceScanner, text: string, chunk: number): FilePiece[] {
  const bytes = Buffer.from(text);
  const pieces: FilePiece[] = [];
  for (let from = 0; from < bytes.length; from += chunk) {
    pieces.push(...scanner.push(bytes.subarray(from, from + chunk)));
  }
  return [...pieces, ...scanner.end()];
}

const rowsIn = (pieces: readonly FilePiece[]) =>
  pieces.flatMap((piece) =>
    piece.kind === 'row'
      ? [{ value: JSON.parse(Buffer.from(piece.bytes).toString()) as unknown, line: piece.line }]
      : [],
  );
const joined = (pieces: readonly FilePiece[]) => Buffer.concat(pieces.map((piece) => piece.bytes)).toString();

/** JSON of a list with white space where JSON allows it. */
const spacedList = fc
  .tuple(
    fc.array(fc.jsonValue({ depthSize: 'small' })),
    fc.constantFrom('', ' ', '\n', '\r\n\t'),
    fc.boolean(),
  )
  .map(([rows, space, pretty]) => {
    const items = rows.map((row) => JSON.stringify(row, null, pretty ? 2 : undefined));
    return { rows, text: `\uFEFF${space}[${space}${items.join(`${space},${space}`)}${space}]${space}` };
  });

describe('a JSON list', () => {
  test('is cut into its rows, whatever the chunks', () => {
    fc.assert(
      fc.property(spacedList, fc.integer({ min: 1, max: 40 }), ({ rows, text }, chunk) => {
        const pieces = piecesOf(createArrayScanner('x.json'), text, chunk);
        expect(rowsIn(pieces).map((row) => row.value)).toEqual(JSON.parse(JSON.stringify(rows)));
        expect(joined(pieces)).toBe(text);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test('gives each row the line on which it begins', () => {
    const pieces = piecesOf(createArrayScanner('x.json'), '[\n{"a":\n1},\n\n{"b":"\\n"}, 3\n]', 7);
    expect(rowsIn(pieces).map((row) => row.line)).toEqual([2, 5, 5]);
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
    const read = () => piecesOf(createArrayScanner('x.json'), text, 4);
    expect(read).toThrow(UserError);
    expect(read).toThrow(words);
  });
});

describe('JSON lines', () => {
  const line = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom('', ' ', '\t', '{broken'),
  );

  test('are cut into rows, whatever the chunks and line ends', () => {
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n', ' \n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        (lines, end, mark, chunk) => {
          const text = `${mark ? '\uFEFF' : ''}${lines.map((one) => one + end).join('')}`;
          const pieces = piecesOf(createLineScanner(), text, chunk);
          const rows = pieces.filter((piece) => piece.kind === 'row');
          const expected = lines
            .map((one, at) => [one, at + 1])
            .filter(([one]) => (one as string).trim() !== '');
          expect(rows.map((row) => [Buffer.from(row.bytes).toString().trim(), row.line])).toEqual(
            expected.map(([one, at]) => [(one as string).trim(), at]),
          );
          expect(joined(pieces)).toBe(text);
        },
      ),
      { numRuns: cases(2_000) },
    );
  });

  test('keep a broken line in the middle as one row’s problem', async () => {
    const file = path.join(temporaryFolder(), 'x.jsonl');
    writeFileSync(file, Buffer.from('{"a":1}\n{"b":\n\xff\n{"c":3}\n', 'latin1'));
    const problems: (string | undefined)[] = [];
    for await (const piece of readPieces(file, 'json_lines')) {
      if (piece.kind === 'row') problems.push('problem' in piece.parsed ? piece.parsed.problem : undefined);
    }
    expect(problems).toEqual([
      undefined,
      expect.stringContaining('not JSON'),
      'the row is not UTF-8',
      undefined,
    ]);
  });

  test('that end in the middle of a row are refused', async () => {
    const file = path.join(temporaryFolder(), 'x.jsonl');
    writeFileSync(file, '{"a":1}\n{"b":');
    const read = async () => {
      for await (const _ of readPieces(file, 'json_lines'));
    };
    await expect(read()).rejects.toThrow('ends in the middle of row 2, on line 2');
  });
});

describe('the format', () => {
  test.each([
    ['\uFEFF  [\n', 'json_list'],
    ['{"a": 1}\n{', 'json_lines'],
    ['PAR1....', 'parquet'],
  ])('of %j is %s', async (text, format) => {
    const file = path.join(temporaryFolder(), 'x');
    writeFileSync(file, text);
    expect(await detectFormat(file)).toBe(format);
  });

  test.each([
    ['', 'the file is empty'],
    ['\n \n', 'found "white space alone"'],
    ['instruction,output\n', 'found "i"'],
    ['PK\u0003\u0004\0\0', 'a binary file'],
    ['{\n  "instruction": 1\n}', 'an object over several lines'],
  ])('of %j is refused', async (text, words) => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, text);
    await expect(detectFormat(file)).rejects.toThrow(UserError);
    await expect(detectFormat(file)).rejects.toThrow(words);
    await expect(detectFormat(file)).rejects.toThrow(file);
  });

  test('of a missing file is refused', async () => {
    await expect(detectFormat('missing.json')).rejects.toThrow('missing.json: there is no such file');
  });
});
