import type { DatabaseSync } from 'node:sqlite';
import { moveIntoPlace } from '../../../base/files/atomicFile.ts';
import { UserError } from '../../../base/userError.ts';
import { type DenseIndexMeta, denseIndexMetaSchema } from '../../../schemas/passageIndexMeta.ts';
import type { PassageIndex } from '../index/openIndexFile.ts';
import { readMeta } from '../index/readMeta.ts';
import { addVectors, type VectorOptions } from './addVectors.ts';
import { type DenseSettings, mismatch } from './checkedDenseFile.ts';
import { openVectorDatabase, signsLayout, VECTORS_LAYOUT } from './denseLayout.ts';
import { signsOf } from './quantise.ts';

/**
 * Builds the dense index of an index of passages under `file`. Every vector is on disk as soon as it came: a build that
 * was cut off goes on where it was. The file appears under its name only when it is complete.
 *
 * @throws UserError when an unfinished build was begun of another corpus or with other settings
 * @throws what the model throws; the signal's reason
 */
export async function buildDenseIndex(
  index: PassageIndex,
  file: string,
  options: VectorOptions,
): Promise<DenseIndexMeta> {
  const building = `${file}.building`;
  const database = openVectorDatabase(building);
  try {
    prepare(database, building, index, options.settings);
    await addVectors(database, index, options);
    const meta = readMeta(database, denseIndexMetaSchema)!;
    addSigns(database, meta.dimensions);
    database.close();
    await moveIntoPlace(building, file);
    return meta;
  } finally {
    if (database.isOpen) database.close();
  }
}

function prepare(database: DatabaseSync, file: string, index: PassageIndex, settings: DenseSettings): void {
  const begun = readMeta(database, denseIndexMetaSchema);
  const problem = begun && mismatch(begun, index.meta, settings);
  if (problem !== undefined)
    throw new UserError(
      `${file}: a build was begun with ${problem}; delete the file to begin anew, or set tools.wiki_search.dense as it was`,
    );
  if (!begun) database.exec(`DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS meta; ${VECTORS_LAYOUT}`);
}

/** In the order of the passages, in whatever order their vectors came. */
function addSigns(database: DatabaseSync, dimensions: number): void {
  database.exec(`BEGIN; DROP TABLE IF EXISTS signs; ${signsLayout(dimensions)}`);
  const insert = database.prepare('INSERT INTO signs (rowid, signs) VALUES (?, vec_bit(?))');
  const rows = database.prepare('SELECT number, vector FROM vectors ORDER BY number').iterate();
  for (const { number, vector } of rows as Iterable<{ number: number; vector: Uint8Array }>)
    insert.run(BigInt(number), signsOf(new Int8Array(vector.buffer, vector.byteOffset, vector.length)));
  database.exec('COMMIT');
}
