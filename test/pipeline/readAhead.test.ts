import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ReadAhead } from '../../pipeline/run/readAhead.ts';

const folder = mkdtempSync(join(tmpdir(), 'coa-read-ahead-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Longer than two windows, so that places lie in, across and past them. */
const content = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 31 + (at >> 8)) % 251));
const file = join(folder, 'file');
writeFileSync(file, content);

test('any places, in any order, hold what the file holds there, cut off at its end', async () => {
  const offset = fc.nat(content.length + 10);
  const length = fc.oneof(fc.nat(2_000), fc.nat(400_000));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(offset, length), { maxLength: 30 }), async (places) => {
      const handle = await open(file);
      try {
        const ahead = new ReadAhead(handle);
        for (const [at, bytes] of places) {
          expect((await ahead.read(at, bytes)).equals(content.subarray(at, at + bytes))).toBe(true);
        }
      } finally {
        await handle.close();
      }
    }),
  );
});

test('each line of a file that grows is read as soon as it is there', async () => {
  const growing = join(folder, 'growing');
  writeFileSync(growing, '');
  const handle = await open(growing);
  try {
    const ahead = new ReadAhead(handle);
    let offset = 0;
    for (const length of [5, 300, 0, 300_000, 7, 70_000, 300_000, 1]) {
      const line = content.subarray(offset, offset + length);
      appendFileSync(growing, line);
      expect((await ahead.read(offset, length)).equals(line)).toBe(true);
      offset += length;
    }
  } finally {
    await handle.close();
  }
});
