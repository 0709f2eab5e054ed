import type { DatabaseSync } from 'node:sqlite';
import { moveIntoPlace } from '../../../base/files/atomicFile.ts';
import { UserError } from '../../../base/userError.ts';
import type { EmbeddingModel } from '../../../contract/textModels.ts';
import { type DenseIndexMeta, denseIndexMetaSchema } from '../../../schemas/passageIndexMeta.ts';
import { type PassageIndex, readMeta } from '../openPassageIndex.ts';
import { type Passage, splitContents } from '../passage.ts';
import {
  DENSE_VERSION,
  type DenseSettings,
  mismatch,
  openVectorDatabase,
  quantise,
  signsLayout,
  signsOf,
  VECTORS_LAYOUT,
} from './openDenseIndex.ts';

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
  using database = openVectorDatabase(building);
  prepare(database, building, index, options.settings);
  await addVectors(database, index, options);
  const meta = readMeta(database, denseIndexMetaSchema)!;
  addSigns(database, meta.dimensions);
  database.close();
  await moveIntoPlace(building, file);
  return meta;
}

function prepare(database: DatabaseSync, file: string, index: PassageIndex, settings: DenseSettings): void {
  const begun = readMeta(database, denseIndexMetaSchema);
  const problem = begun && mismatch(begun, index.meta, settings);
  if (problem !== undefined)
    throw new UserError(
      `${file}: a build was begun with ${problem}; delete the file to begin again, or set tools.wiki_search.dense as it was`,
    );
  if (!begun) database.exec(`DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS meta; ${VECTORS_LAYOUT}`);
}

/** Inserts signs in passage order, independent of the order of arrival. */
function addSigns(database: DatabaseSync, dimensions: number): void {
  database.exec(`BEGIN; DROP TABLE IF EXISTS signs; ${signsLayout(dimensions)}`);
  const insert = database.prepare('INSERT INTO signs (rowid, signs) VALUES (?, vec_bit(?))');
  const rows = database.prepare('SELECT number, vector FROM vectors ORDER BY number').iterate();
  for (const { number, vector } of rows as Iterable<{ number: number; vector: Uint8Array }>)
    insert.run(BigInt(number), signsOf(new Int8Array(vector.buffer, vector.byteOffset, vector.length)));
  database.exec('COMMIT');
}

interface VectorOptions {
  readonly model: EmbeddingModel;
  readonly settings: DenseSettings;
  /** Texts per request. */
  readonly batchSize: number;
  /** Maximum concurrent requests. */
  readonly concurrency: number;
  /** On abort no further request is sent, and those in flight are dropped. */
  readonly signal: AbortSignal;
  /** Called after each batch with the number of passages with vectors, earlier builds included. */
  readonly onProgress?: (passages: number) => void;
}

/**
 * Requests vectors of passages without one, in concurrent batches, and stores each on arrival. After a failure the
 * other batches in flight are still stored, since they are paid.
 * @throws the first failure; the signal's reason
 */
async function addVectors(
  database: DatabaseSync,
  index: PassageIndex,
  options: VectorOptions,
): Promise<void> {
  const { concurrency, batchSize, signal, onProgress } = options;
  const keep = createKeeper(database, index, options.settings);
  const batches = pendingBatches(database, index.meta.passages, batchSize);
  let done = countVectors(database);
  const work = async () => {
    for (const numbers of batches) {
      signal.throwIfAborted();
      const passages = index.read(numbers);
      const texts = numbers.map((number) => textOf(passages.get(number)!, options.settings));
      const vectors = await options.model.embed(texts, signal);
      keep(numbers, vectors);
      done += numbers.length;
      onProgress?.(done);
    }
  };
  // A failure leaves its loop, which ends the shared generator.
  const settled = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
}

/** Numbers of passages without a vector. */
function* pendingBatches(database: DatabaseSync, passages: number, batchSize: number): Generator<number[]> {
  const has = database.prepare('SELECT 1 FROM vectors WHERE number = ?');
  let batch: number[] = [];
  for (let number = 1; number <= passages; number++) {
    if (has.get(number)) continue;
    batch.push(number);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function countVectors(database: DatabaseSync): number {
  return (database.prepare('SELECT count(*) AS count FROM vectors').get() as { count: number }).count;
}

function textOf({ contents }: Passage, { passage_prefix, max_chars }: DenseSettings): string {
  const { title, text } = splitContents(contents);
  return `${passage_prefix}${`${title}\n${text}`.trimEnd().slice(0, max_chars).toWellFormed()}`;
}

/** Writes batches, preceded by the index's origin on the first one, when its dimensions become known. */
function createKeeper(database: DatabaseSync, { meta: index }: PassageIndex, settings: DenseSettings) {
  const insert = database.prepare('INSERT INTO vectors VALUES (?, ?)');
  let known = readMeta(database, denseIndexMetaSchema)?.dimensions;
  return (numbers: readonly number[], vectors: readonly Float32Array[]): void => {
    const dimensions = vectors[0]!.length;
    if (known !== undefined && dimensions !== known)
      throw new Error(`the model gives vectors of ${dimensions} dimensions, and gave ${known} before`);
    database.exec('BEGIN');
    try {
      if (known === undefined)
        database
          .prepare('INSERT INTO meta VALUES (?)')
          .run(JSON.stringify(metaOf(index, settings, dimensions)));
      for (const [at, number] of numbers.entries()) insert.run(number, quantise(vectors[at]!));
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
    known = dimensions;
  };
}

function metaOf(
  { corpus_sha256, passages }: PassageIndex['meta'],
  { model, passage_prefix, max_chars }: DenseSettings,
  dimensions: number,
): DenseIndexMeta {
  const format = 'coa-distill dense index';
  return {
    format,
    version: DENSE_VERSION,
    corpus_sha256,
    passages,
    model,
    passage_prefix,
    max_chars,
    dimensions,
  };
}
