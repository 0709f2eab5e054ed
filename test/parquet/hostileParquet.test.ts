import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Table as ArrowTable, Field, Int32, List, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { Compression, Table, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { expect, test } from 'vitest';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { UserError } from '../../base/userError.ts';
import { cases } from '../support/cases.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { sharedDataPath } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { mutateParquet } from './support/mutateParquet.ts';

/** Mutations; COA_PARQUET_MUTATIONS=2000 takes an hour of CPU. */
const mutations = cases(12, 'COA_PARQUET_MUTATIONS');

test(
  'damage ends in a message',
  async () => {
    const file = path.join(temporaryFolder(), 'damaged.parquet');
    const good = goodFiles();
    const random = seededRandom(20);
    const outcomes: Record<string, number> = {};
    for (let nth = 0; nth < mutations; nth++) {
      const { bytes } = mutateParquet(good[nth % good.length]!, random);
      writeFileSync(file, bytes);
      const outcome = await drain((await openRowFile(file)).rows()).then(
        () => 'read',
        (error: unknown) => (error instanceof UserError ? 'message' : String(error)),
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    const { read: _, message: __, ...others } = outcomes;
    expect(others).toEqual({});
  },
  mutations * 20_000,
);

/** One file of each codec, two of them with dictionaries, and one that pyarrow wrote. */
function goodFiles(): Buffer[] {
  const item = <T extends Utf8 | Int32>(type: T) => Field.new({ name: 'item', type, nullable: true });
  const at = Array.from({ length: 60 }, (_, row) => row);
  const table = new ArrowTable({
    question: vectorFromArray(at.map((row) => `Who built harbour ${row}?`)),
    answer: vectorFromArray(
      at.map((row) => [`builder ${row % 7}`, 'nobody']),
      new List(item(new Utf8())),
    ),
    instruction: vectorFromArray(at.map(() => 'Answer.')),
    output: vectorFromArray(at.map((row) => `<think>${'so '.repeat(row)}</think><answer>${row}</answer>`)),
    ids: vectorFromArray(
      at.map((row) => [row, row * row]),
      new List(item(new Int32())),
    ),
  });
  const stream = tableToIPC(table, 'stream');
  const written = [Compression.UNCOMPRESSED, Compression.SNAPPY, Compression.GZIP, Compression.ZSTD].map(
    (codec, nth) => {
      const properties = new WriterPropertiesBuilder()
        .setCompression(codec)
        .setMaxRowGroupSize(25)
        .setDictionaryEnabled(nth % 2 === 0)
        .build();
      return Buffer.from(writeParquet(Table.fromIPCStream(stream), properties));
    },
  );
  return [...written, readFileSync(sharedDataPath('aime24.parquet'))];
}

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}
