import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesWithin, readLineBlocks } from '../../base/journal/readLineBlocks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

async function linesOf(text: string, start = 0, end = Number.POSITIVE_INFINITY) {
  const path = join(temporaryFolder(), 'lines.jsonl');
  writeFileSync(path, text);
  const lines: [offset: number, line: string][] = [];
  for await (const block of readLineBlocks(path, start, end))
    for (const { from, end } of linesWithin(block))
      lines.push([block.offset + from, block.bytes.toString('utf8', from, end)]);
  return lines;
}

test('lines come whole with their places, across blocks, and also those longer than a block', async () => {
  const wanted = Array.from({ length: 3_000 }, (_, at) => `${at}é`.repeat(at % 400));
  wanted.splice(1_500, 0, 'long '.repeat(200_000));
  let place = 0;
  const places = wanted.map((line) => {
    const start = place;
    place += Buffer.byteLength(line) + 1;
    return start;
  });
  const lines = await linesOf(`${wanted.join('\n')}\n`);
  expect(lines.map(([, line]) => line)).toEqual(wanted);
  expect(lines.map(([offset]) => offset)).toEqual(places);
});

test('a stretch begins and ends where it is told, and leaves out a line that goes on behind it', async () => {
  expect(await linesOf('one\ntwo\nthree\n', 4, 13)).toEqual([[4, 'two']]);
  expect(await linesOf('one\n\ntorn')).toEqual([
    [0, 'one'],
    [4, ''],
  ]);
  expect(await linesOf('torn')).toEqual([]);
});

test('a file that is not there has no lines', async () => {
  for await (const _ of readLineBlocks(join(temporaryFolder(), 'none'), 0, 10)) expect.unreachable();
});
