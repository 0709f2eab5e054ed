import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../../base/userError.ts';
import { type DenseIndexMeta, denseIndexMetaSchema } from '../../../schemas/passageIndexMeta.ts';
import type { ScoredNumber } from '../index/createCandidateScorer.ts';
import { hasLayout } from '../index/indexLayout.ts';
import { isSqliteError, readMeta } from '../index/readMeta.ts';
import { cosineOf, openVectorDatabase, signsLayout, signsOf, VECTORS_LAYOUT } from './denseLayout.ts';

/** Searches passages by their embeddings. */
export interface VectorSearch {
  /** At most `limit` passages, best first. */
  search(vector: Float32Array, limit: number): ScoredNumber[];
  close(): void;
}

/** An index of passages by their embeddings; the score is the cosine. */
export interface DenseIndex extends VectorSearch {
  readonly meta: DenseIndexMeta;
}

/**
 * Passages whose signs are nearest that are compared byte by byte, at least; sqlite-vec's time grows with this number
 * times that of the passages.
 */
const CANDIDATES = 100;
/** Most that sqlite-vec finds at once; so few are all compared byte by byte. */
const MAX_FOUND = 4096;

const NEAREST = 'SELECT rowid AS number FROM signs WHERE signs MATCH vec_bit(?) AND k = ?';
const ALL = 'SELECT number, vector FROM vectors';
const ONE = 'SELECT number, vector FROM vectors WHERE number = ?';

interface VectorRow {
  readonly number: number;
  readonly vector: Uint8Array;
}

/** Opens a dense index that is complete. Throws `UserError` when it is none, or damaged. */
export function openDenseIndex(file: string): DenseIndex {
  if (!existsSync(file))
    throw new UserError(`${file}: there is no dense index; build it with coa-distill tools index --dense`);
  const database = openVectorDatabase(file, { readOnly: true });
  const meta = readMeta(database, denseIndexMetaSchema);
  if (!meta || !isOurs(database, meta.dimensions)) {
    database.close();
    throw new UserError(
      `${file}: no dense index, or a damaged one; build it again with coa-distill tools index --dense`,
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

function isOurs(database: DatabaseSync, dimensions: number): boolean {
  const ours = openVectorDatabase(':memory:');
  try {
    ours.exec(`${VECTORS_LAYOUT}; ${signsLayout(dimensions)}`);
    return hasLayout(database, ours);
  } catch (error) {
    // A file that is damaged, or dimensions that no such table can have.
    if (isSqliteError(error)) return false;
    throw error;
  } finally {
    ours.close();
  }
}
