import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AtomicFile } from '../../../base/files/atomicFile.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { UserError } from '../../../base/userError.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** Texts and bytes, some longer than what is held back, some lone surrogates. */
const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.tuple(fc.constantFrom('a', 'é', '語', '👍'), fc.nat(100_000)).map(([text, times]) => text.repeat(times)),
  fc.uint8Array({ maxLength: 2_000 }),
);

test('a file holds what was appended, in order, whatever the pieces, and its hash and size are those of the whole', async () => {
  const folder = temporaryFolder();
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (parts) => {
      const path = join(folder, `${nth++}`);
      const hash = createHash('sha256');
      const file = await AtomicFile.create(path, undefined, hash);
      const expected: Buffer[] = [];
      for (const data of parts) {
        await file.write(data);
        expected.push(Buffer.from(data as string));
        expect(file.bytes).toBe(Buffer.concat(expected).length);
      }
      expect(existsSync(path)).toBe(false);
      await file.commit();
      const whole = Buffer.concat(expected);
      expect(hash.digest('hex')).toBe(sha256Hex(whole));
      expect((await readFile(path)).equals(whole)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a file that was given up leaves nothing, and what has its name stays until there is another', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'name'), 'old');
  const file = await AtomicFile.create(join(folder, 'name'));
  await file.write('a row\n');
  await file.discard();
  expect(await readdir(folder)).toEqual(['name']);
  expect(await readFile(join(folder, 'name'), 'utf8')).toBe('old');
  await expect(AtomicFile.create(join(folder, 'name', 'below'))).rejects.toThrow(UserError);
});
