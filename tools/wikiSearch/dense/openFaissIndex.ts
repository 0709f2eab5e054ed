import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { UserError } from '../../../base/userError.ts';
import type { ScoredNumber } from '../openPassageIndex.ts';
import type { VectorSearch } from './openDenseIndex.ts';

/** A flat FAISS index: the raw vectors of passages 1, 2, ... */
export interface FaissIndex extends VectorSearch {
  /** Hash of kind, size, and the first and last MiB, to avoid reading tens of gigabytes. */
  readonly identity: string;
}

/**
 * Size of the header that `faiss.write_index` writes for an `IndexFlat` (faiss/impl/index_write.cpp): the kind in
 * four letters, dimensions (int32), vectors (int64), two unused numbers, trained flag (byte), metric (int32), and the
 * count of float32 values that follow (uint64). All are little-endian.
 */
const HEADER_BYTES = 45;
const BYTES_OF_FLOAT = 4;

/** Supported kinds with their metric number: inner product, and squared Euclidean distance. */
const metrics: ReadonlyMap<string, number> = new Map([
  ['IxFI', 0],
  ['IxF2', 1],
]);

const MAX_DIMENSIONS = 65_536;
/** Bytes per read. */
const CHUNK_BYTES = 4 << 20;
const SAMPLE_BYTES = 1 << 20;

/**
 * Opens a flat FAISS index; a search reads all vectors in chunks and keeps none.
 * @param passages - How many vectors it must have.
 * @throws UserError when it is no such file, is damaged, or has the vectors of another corpus
 */
export function openFaissIndex(file: string, passages: number): FaissIndex {
  const descriptor = openFile(file);
  try {
    const { dimensions, kind } = checkedHeader(descriptor, file, passages);
    const isDistance = kind === 'IxF2';
    return {
      identity: identityOf(descriptor, `${kind} ${passages}x${dimensions}`),
      search(vector, limit) {
        if (vector.length !== dimensions)
          throw new Error(`a query has ${vector.length} dimensions and ${file} ${dimensions}`);
        const best = new BestScores(limit);
        for (const { first, vectors } of vectorChunks(descriptor, file, passages, dimensions)) {
          for (let at = 0; at * dimensions < vectors.length; at++) {
            const start = at * dimensions;
            const score = isDistance ? -distance(vector, vectors, start) : product(vector, vectors, start);
            best.add(first + at, score);
          }
        }
        return best.found;
      },
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openFile(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new UserError(`${file}: there is no such FAISS index`);
  if (!stats.isFile()) throw new UserError(`${file}: expected a file with a FAISS index`);
  return openSync(file, 'r');
}

interface Header {
  readonly kind: string;
  readonly dimensions: number;
}

function checkedHeader(descriptor: number, file: string, passages: number): Header {
  const header = Buffer.alloc(HEADER_BYTES);
  const read = readSync(descriptor, header, 0, HEADER_BYTES, 0);
  const kind = header.toString('latin1', 0, Math.min(4, read));
  const metric = metrics.get(kind);
  if (metric === undefined)
    throw new UserError(
      `${file}: expected a flat FAISS index (IndexFlatIP or IndexFlatL2, which begin with IxFI and IxF2), got a file that begins with ${JSON.stringify(kind)}`,
    );
  const dimensions = header.readInt32LE(4);
  const vectors = Number(header.readBigInt64LE(8));
  const floats = Number(header.readBigUInt64LE(37));
  const bytes = HEADER_BYTES + BYTES_OF_FLOAT * floats;
  const isWhole =
    read === HEADER_BYTES &&
    dimensions >= 1 &&
    dimensions <= MAX_DIMENSIONS &&
    floats === vectors * dimensions &&
    header.readInt32LE(33) === metric &&
    fstatSync(descriptor).size === bytes;
  if (!isWhole) throw new UserError(`${file}: a damaged FAISS index: its header does not fit the file`);
  if (vectors === passages) return { kind, dimensions };
  throw new UserError(
    `${file}: ${vectors} vectors for ${passages} passages; a FAISS index must be made of the corpus of the passage index, in its order`,
  );
}

function identityOf(descriptor: number, shape: string): string {
  const { size } = fstatSync(descriptor);
  const hash = createHash('sha256');
  for (const start of [0, Math.max(0, size - SAMPLE_BYTES)]) {
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, size));
    readWhole(descriptor, sample, start);
    hash.update(sample);
  }
  return `faiss ${shape} sampled sha256:${hash.digest('hex')}`;
}

/** Vectors by chunk; each chunk overwrites the last. */
function* vectorChunks(descriptor: number, file: string, passages: number, dimensions: number) {
  const stride = BYTES_OF_FLOAT * dimensions;
  const perChunk = Math.max(1, Math.floor(CHUNK_BYTES / stride));
  const chunk = new Uint8Array(Math.min(perChunk, passages) * stride);
  for (let done = 0; done < passages; done += perChunk) {
    const bytes = chunk.subarray(0, Math.min(perChunk, passages - done) * stride);
    if (!readWhole(descriptor, bytes, HEADER_BYTES + done * stride))
      throw new Error(`${file} became shorter while it was read`);
    yield { first: done + 1, vectors: new Float32Array(chunk.buffer, 0, bytes.length / BYTES_OF_FLOAT) };
  }
}

/** Returns false at an early end of the file. */
function readWhole(descriptor: number, into: Uint8Array, start: number): boolean {
  for (let done = 0; done < into.length; ) {
    const read = readSync(descriptor, into, done, into.length - done, start + done);
    if (read === 0) return false;
    done += read;
  }
  return true;
}

/** Keeps the best scores; ties go to lower numbers. */
class BestScores {
  readonly found: ScoredNumber[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a number, in ascending order. Throws for an invalid score. */
  add(number: number, score: number): void {
    if (!Number.isFinite(score))
      throw new Error(`the vector of passage ${number} is not finite: the FAISS index is damaged`);
    const { found } = this;
    if (found.length === this.#limit && score <= found.at(-1)!.score) return;
    const at = found.findIndex((other) => other.score < score);
    found.splice(at < 0 ? found.length : at, 0, { number, score });
    if (found.length > this.#limit) found.pop();
  }
}

/** Uses four independent sums, since each addition waits for the previous one. */
function product(one: Float32Array, others: Float32Array, start: number): number {
  const { length } = one;
  let [a, b, c, d] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    a += one[at]! * others[start + at]!;
    b += one[at + 1]! * others[start + at + 1]!;
    c += one[at + 2]! * others[start + at + 2]!;
    d += one[at + 3]! * others[start + at + 3]!;
  }
  for (; at < length; at++) a += one[at]! * others[start + at]!;
  return a + b + c + d;
}

function distance(one: Float32Array, others: Float32Array, start: number): number {
  const { length } = one;
  let [a, b] = [0, 0];
  let at = 0;
  for (; at + 2 <= length; at += 2) {
    const x = one[at]! - others[start + at]!;
    const y = one[at + 1]! - others[start + at + 1]!;
    a += x * x;
    b += y * y;
  }
  if (at < length) a += (one[at]! - others[start + at]!) ** 2;
  return a + b;
}
