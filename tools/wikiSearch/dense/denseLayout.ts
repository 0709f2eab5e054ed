import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { UserError } from '../../../base/userError.ts';

/** Bumped when a dense index is laid out otherwise. */
export const DENSE_VERSION = 1;

/**
 * While it is built: `vectors` holds a byte a dimension of each passage that was paid for, by the passage's number;
 * `meta` what they were made of.
 */
export const VECTORS_LAYOUT = `
  CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
  CREATE TABLE meta (value TEXT NOT NULL);
`;

/** At the end: `signs` holds a bit a dimension, which are compared first. */
export function signsLayout(dimensions: number): string {
  return `CREATE VIRTUAL TABLE signs USING vec0(signs bit[${8 * Math.ceil(dimensions / 8)}])`;
}

/** The dense index that belongs to an index of passages. */
export function denseFileOf(indexFile: string): string {
  return `${indexFile}.dense`;
}

/**
 * Opens a database with sqlite-vec's functions and tables.
 *
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

/** A vector as one byte a dimension, its largest one at 127: its angle to others stays, its length does not. */
export function quantise(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** The signs of a vector, a bit each (1: positive), filled up with zeros to whole bytes. */
export function signsOf(vector: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) bits[at >> 3]! |= 1 << (at & 7);
  return bits;
}

/** The cosine of the angle between two vectors of one length, neither of them zero. */
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
