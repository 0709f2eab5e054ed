import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Table as ArrowTable, tableToIPC, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { Compression, Table, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { expect, test } from 'vitest';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { UserError } from '../../../base/userError.ts';
import { cases } from '../../support/cases.ts';
import { damageArbitrary, damaged } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';

/** Twelve rows whose footer or pages state what is not so, or unpack to 48 MB and 1 GB. */
const fixtures = fileURLToPath(new URL('../../fixtures/parquet/', import.meta.url));

async function outcomeOf(file: string): Promise<string> {
  try {
    for await (const _ of (await openRowFile(file)).rows());
    return 'read';
  } catch (error) {
    return error instanceof UserError ? 'message' : String(error);
  }
}

test.each(readdirSync(fixtures))('%s ends in a message', async (name) => {
  expect(await outcomeOf(path.join(fixtures, name))).toBe('message');
});

/** One file of each codec, two of them with dictionaries, and one that pyarrow wrote. */
function goodFiles(): Buffer[] {
  const at = Array.from({ length: 60 }, (_, row) => row);
  const table = new ArrowTable({
    question: vectorFromArray(at.map((row) => `Who built harbour ${row}?`)),
    output: vectorFromArray(at.map((row) => `<think>${'so '.repeat(row)}</think><answer>${row}</answer>`)),
  });
  const stream = tableToIPC(table, 'stream');
  const { UNCOMPRESSED, SNAPPY, GZIP, ZSTD } = Compression;
  const written = [UNCOMPRESSED, SNAPPY, GZIP, ZSTD].map((codec, nth) => {
    const properties = new WriterPropertiesBuilder()
      .setCompression(codec)
      .setMaxRowGroupSize(25)
      .setDictionaryEnabled(nth % 2 === 0)
      .build();
    return Buffer.from(writeParquet(Table.fromIPCStream(stream), properties));
  });
  return [...written, readFileSync(testDataPath('tasks/aime24.parquet'))];
}

test('damage ends in rows or in a message', async () => {
  const file = path.join(temporaryFolder(), 'damaged.parquet');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...goodFiles()), damageArbitrary, async (good, damage) => {
      writeFileSync(file, damaged(good, damage));
      expect(await outcomeOf(file)).toMatch(/^(?:read|message)$/);
    }),
    { numRuns: cases(12, 'COA_PARQUET_MUTATIONS') },
  );
}, 600_000);
