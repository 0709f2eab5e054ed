import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { sha256Hex } from '../../../base/ids.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { recallVerified } from '../../../output/tokenizers/verifiedTokenizers.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { harmlessText } from '../../support/trajectoryArbitrary.ts';
import { writeModelTokenizer } from '../support/modelTokenizers.ts';
import { writeTinyTokenizer } from '../support/tinyTokenizer.ts';

/** An empty cache folder for the rest of the test, and the records in it. */
function emptyCache() {
  const cache = temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  const folder = path.join(cache, 'coa-distill/tokenizers');
  return {
    records: () => (existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []),
  };
}

test('a tokenizer that was verified before is the same one, and is not verified again', async () => {
  const { records } = emptyCache();
  const tokenizer = await writeModelTokenizer(temporaryFolder(), 'chatml');
  const first = await loadTokenizer(tokenizer);
  const [record, ...more] = records();
  expect(more).toEqual([]);
  const written = readFileSync(record!);
  const second = await loadTokenizer(tokenizer);
  expect(readFileSync(record!)).toEqual(written);
  const { name, sha256, encoder, addedTokens, addedTokenFlags } = first;
  expect(second).toMatchObject({ name, sha256, encoder, addedTokens, addedTokenFlags });
  await fc.assert(
    fc.asyncProperty(harmlessText, async (text) => {
      const ids = await second.encode(text);
      expect(ids).toEqual(await first.encode(text));
      expect(await second.decode(ids)).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('a damaged record, or one of other code, is not believed', async () => {
  const { records } = emptyCache();
  const tokenizer = await writeModelTokenizer(temporaryFolder(), 'chatml');
  const sha256 = sha256Hex(readFileSync(tokenizer));
  await loadTokenizer(tokenizer);
  const [record] = records() as [string];
  const good = readFileSync(record);
  for (const at of [0, 31, 32, good.length >> 1, good.length - 1]) {
    const damaged = Buffer.from(good);
    damaged[at]! ^= 1;
    writeFileSync(record, damaged);
    expect(await recallVerified(sha256), `byte ${at}`).toBeUndefined();
  }
  for (const length of [0, 10, 32, good.length - 1]) {
    writeFileSync(record, good.subarray(0, length));
    expect(await recallVerified(sha256), `${length} bytes`).toBeUndefined();
  }
  const other = serialize({ ...deserialize(good.subarray(32)), verifiedBy: 'other code' });
  writeFileSync(record, Buffer.concat([Buffer.from(sha256Hex(other), 'hex'), other]));
  expect(await recallVerified(sha256)).toBeUndefined();
  await loadTokenizer(tokenizer);
  expect(await recallVerified(sha256)).toBeDefined();
});

test('records of a few other versions stay beside it', async () => {
  const { records } = emptyCache();
  const tokenizer = await writeModelTokenizer(temporaryFolder(), 'chatml');
  await loadTokenizer(tokenizer);
  const [record] = records() as [string];
  const content = readFileSync(record);
  const others = ['old', 'older', 'oldest'].map((version) => record.replace(/-[0-9a-f]{16}/, `-${version}`));
  for (const [age, other] of others.entries()) {
    writeFileSync(other, 'of another version');
    utimesSync(other, 1e9 - age, 1e9 - age);
  }
  rmSync(record);
  await loadTokenizer(tokenizer);
  expect(readFileSync(record)).toEqual(content);
  expect(records().toSorted()).toEqual([record, ...others.slice(0, 2)].toSorted());
});

test('a refused tokenizer leaves nothing, and a cache that can not be written only costs time', async () => {
  const { records } = emptyCache();
  const refused = await writeTinyTokenizer(temporaryFolder(), {
    preTokenizer: { type: 'Metaspace', replacement: 'Ġ', prepend_scheme: 'first', split: false },
  });
  await expect(loadTokenizer(refused)).rejects.toThrow(/depending on where it stands/);
  expect(records()).toEqual([]);
  const file = path.join(temporaryFolder(), 'a-file');
  writeFileSync(file, '');
  vi.stubEnv('XDG_CACHE_HOME', file);
  const good = await writeModelTokenizer(temporaryFolder(), 'chatml');
  expect(await loadTokenizer(good)).toMatchObject({ encoder: 'coa-distill' });
});
