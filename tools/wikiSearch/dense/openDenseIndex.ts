import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { UserError } from '../../../base/userError.ts';
import {
  type DenseIndexMeta,
  denseIndexMetaSchema,
  type PassageIndexMeta,
} from '../../../schemas/passageIndexMeta.ts';
import { readMeta, type ScoredNumber } from '../openPassageIndex.ts';

/** Incremented when the layout of a dense index changes. */
export const DENSE_VERSION = 1;

/** Build state: `vectors` holds one byte per dimension of each paid passage by number; `meta` holds their origin. */
export const VECTORS_LAYOUT = `
  CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
  CREATE TABLE meta (value TEXT NOT NULL);
`;

/** Final layout: `signs` holds one bit per dimension, compared first. */
export function signsLayout(dimensions: number): string {
  return `CREATE VIRTUAL TABLE signs USING vec0(signs bit[${8 * Math.ceil(dimensions / 8)}])`;
}

/** Path of the dense index for a passage index. */
export function denseFileOf(indexFile: string): string {
  return `${indexFile}.dense`;
}

/**
 * Opens a database with sqlite-vec.
 * @throws UserError on a machine for which sqlite-vec has no library
 */
export function openVectorDatabase(file: string, { readOnly = false } = {}): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly, allowExtension: true });
  try {
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
    return database;
  } catch (error) {
    database.close();
    throw new UserError(
      `dense search needs sqlite-vec, which can't be loaded here (${(error as Error).message}); use mode: bm25`,
      { cause: error },
    );
  }
}

/** Quantises a vector to one byte per dimension, its largest at 127: angles are kept, lengths are not. */
export function quantise(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** Signs of a vector, one bit each (1: positive), padded with zeros to whole bytes. */
export function signsOf(vector: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) bits[at >> 3]! |= 1 << (at & 7);
  return bits;
}

/** Cosine between two non-zero vectors of equal length. */
export function cosineOf(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let product = 0;
  let oneSquares = 0;
  let otherSquares = 0;
  for (let at = 0; at < one.length; at++) {
    product += one[at]! * other[at]!;
    oneSquares += one[at]! * one[at]!;
    otherSquares += other[at]! * other[at]!;
  }
  return product / Math.sqrt(oneSquares * otherSquares);
}

/** Searches passages by their embeddings. */
export interface VectorSearch {
  /** At most `limit` passages, best first. */
  search(vector: Float32Array, limit: number): ScoredNumber[];
  close(): void;
}

/** Index of passage embeddings; the score is the cosine. */
export interface DenseIndex extends VectorSearch {
  readonly meta: DenseIndexMeta;
}

/**
 * Minimum passages with the nearest signs that are compared byte by byte; sqlite-vec's time grows with this number
 * times that of the passages.
 */
const CANDIDATES = 100;
/** Maximum results of sqlite-vec; up to this many passages are all compared byte by byte. */
const MAX_FOUND = 4096;

const NEAREST = 'SELECT rowid AS number FROM signs WHERE signs MATCH vec_bit(?) AND k = ?';
const ALL = 'SELECT number, vector FROM vectors';
const ONE = 'SELECT number, vector FROM vectors WHERE number = ?';

interface VectorRow {
  readonly number: number;
  readonly vector: Uint8Array;
}

/** Opens a complete dense index. Throws `UserError` if invalid or damaged. */
export function openDenseIndex(file: string): DenseIndex {
  if (!existsSync(file))
    throw new UserError(`${file}: there is no dense index; build it with coa-distill tools index --dense`);
  const database = openVectorDatabase(file, { readOnly: true });
  const meta = readMeta(database, denseIndexMetaSchema);
  if (!meta) {
    database.close();
    throw new UserError(
      `${file}: not a dense index, or a damaged one; build it again with coa-distill tools index --dense`,
    );
  }
  const nearest = database.prepare(NEAREST);
  const all = database.prepare(ALL);
  const one = database.prepare(ONE);
  const candidates = (vector: Float32Array, limit: number): Iterable<VectorRow> => {
    if (meta.passages <= MAX_FOUND) return all.iterate() as unknown as Iterable<VectorRow>;
    const found = nearest.all(signsOf(vector), Math.min(MAX_FOUND, Math.max(CANDIDATES, 2 * limit)));
    return (found as unknown as { number: number }[]).map(
      ({ number }) => (one.get(number) ?? { number, vector: new Uint8Array() }) as unknown as VectorRow,
    );
  };
  return {
    meta,
    search(vector, limit) {
      if (vector.length !== meta.dimensions)
        throw new Error(`a query has ${vector.length} dimensions and the dense index ${meta.dimensions}`);
      const scored: ScoredNumber[] = [];
      for (const { number, vector: bytes } of candidates(vector, limit)) {
        if (bytes.length !== meta.dimensions)
          throw new Error(`the dense index has no whole vector of passage ${number}: it is damaged`);
        scored.push({
          number,
          score: cosineOf(vector, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)),
        });
      }
      return scored.sort((a, b) => b.score - a.score || a.number - b.number).slice(0, limit);
    },
    close: () => database.close(),
  };
}

/** Settings that determine a dense index's vectors. */
export interface DenseSettings {
  readonly model: string;
  readonly passage_prefix: string;
  readonly max_chars: number;
}

/**
 * Path of the dense index next to an index. Throws `UserError` if it is missing, damaged, or made from another corpus
 * or settings: vectors of two models are not comparable.
 */
export function checkedDenseFile(
  indexFile: string,
  index: PassageIndexMeta,
  settings: DenseSettings,
): string {
  const file = denseFileOf(indexFile);
  const dense = openDenseIndex(file);
  dense.close();
  const problem = mismatch(dense.meta, index, settings);
  if (problem === undefined) return file;
  throw new UserError(
    `${file}: the dense index was built with ${problem}; build it again with coa-distill tools index --dense, or set tools.wiki_search.dense as it was`,
  );
}

/** Differences of a dense index from the wanted settings, in words; undefined without any. */
export function mismatch(
  dense: Omit<DenseIndexMeta, 'dimensions'>,
  index: PassageIndexMeta,
  settings: DenseSettings,
): string | undefined {
  if (dense.version !== DENSE_VERSION) return `version ${dense.version} of the layout, not ${DENSE_VERSION}`;
  if (dense.corpus_sha256 !== index.corpus_sha256) return 'another corpus';
  for (const setting of ['model', 'passage_prefix', 'max_chars'] as const) {
    const [was, is] = [dense[setting], settings[setting]];
    if (was !== is) return `${setting} ${JSON.stringify(was)}, not ${JSON.stringify(is)}`;
  }
  return undefined;
}
