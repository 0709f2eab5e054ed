import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../../base/userError.ts';
import {
  type DenseIndexMeta,
  denseIndexMetaSchema,
  type PassageIndexMeta,
} from '../../../schemas/passageIndexMeta.ts';
import type { ScoredNumber } from '../index/createCandidateScorer.ts';
import { hasLayout, isSqliteError, readMeta } from '../index/indexLayout.ts';
import {
  cosineOf,
  DENSE_VERSION,
  denseFileOf,
  openVectorDatabase,
  signsLayout,
  signsOf,
  VECTORS_LAYOUT,
} from './denseLayout.ts';

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

/** What the vectors of a dense index depend on, as a configuration has it. */
export interface DenseSettings {
  readonly model: string;
  readonly passage_prefix: string;
  readonly max_chars: number;
}

/**
 * The dense index beside an index. Throws `UserError` when it is missing, damaged, or was made of another corpus or
 * with other settings: rankings by vectors of two models mean nothing.
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

/** In what a dense index differs from what is wanted, in words; undefined: in nothing. */
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
