import { Field, Int32, Schema, Utf8, vectorFromArray } from 'apache-arrow';
import { expect, test } from 'vitest';
import { ipcStream, ParquetFile } from '../../output/dataset/files/columnFiles.ts';

const schema = new Schema([
  Field.new({ name: 'id', type: new Int32() }),
  Field.new({ name: 'text', type: new Utf8() }),
]);

function batch(first: number, rows: number): Uint8Array {
  const ids = Array.from({ length: rows }, (_, at) => first + at);
  return ipcStream(schema, rows, [
    vectorFromArray(ids, new Int32()).data[0]!,
    vectorFromArray(
      ids.map((id) => `row ${id}`),
      new Utf8(),
    ).data[0]!,
  ]);
}

/** A file on a disk with room for so many bytes. */
function fileWithRoom(bytes: number) {
  let room = bytes;
  const write = async (data: string | Uint8Array) => {
    room -= data.length;
    if (room < 0) throw new Error('the disk is full');
  };
  return { write };
}

test.each([0, 4_000, 20_000])(
  'a disk with room for %i bytes ends the writing, it does not hang',
  async (room) => {
    const parquet = new ParquetFile(fileWithRoom(room));
    const writing = (async () => {
      for (let at = 0; at < 20; at++) await parquet.write(batch(at * 1_000, 1_000));
      await parquet.finish();
    })();
    await expect(writing).rejects.toThrow('the disk is full');
    await parquet.abort();
  },
);

test('a file that is given up leaves no promise behind', async () => {
  const parquet = new ParquetFile(fileWithRoom(1_000_000));
  await parquet.write(batch(0, 10));
  await parquet.abort();
  const never = new ParquetFile(fileWithRoom(1_000_000));
  await never.abort();
});
