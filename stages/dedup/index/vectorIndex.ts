import { mix32 } from '../../../base/hash32.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { answerSet, haveOtherAnswers } from '../../../schemas/question.ts';
import { type Bands, chooseBands } from './bandKeys.ts';
import { SimilarityIndex } from './similarityIndex.ts';

/** Maximum bits of a sketch: a bit carries less information than a MinHash number, and needs no memory by itself. */
const MAX_BITS = 1024;
/** Cosine error from 32-bit numbers for equal directions. */
const ROUNDING = 1e-6;

interface VectorIndexOptions {
  /** Minimum cosine of duplicates, above 0 and at most 1. */
  readonly minCosine: number;
  /** Directory for spilled vectors (an unlinked temporary file), 4 bytes per number. */
  readonly spillFolder: string;
}

export interface VectorRecord {
  /** Unique. Ties in quality keep the smaller id. */
  readonly id: string;
  /** Finite, non-zero, and of equal length for all records. */
  readonly vector: Float32Array;
  readonly quality: number;
  /** Records of different groups are never duplicates. */
  readonly group: string;
  /** Gold answers; records without a common one are not duplicates. Empty: unknown. */
  readonly answers: readonly string[];
}

/**
 * Finds records with nearly the same direction. Candidates lie on the same sides of random planes; each pair is then
 * compared by cosine. Memory per record: an id, a quality and 4 bytes per band (188 at 0.95); vectors are spilled to
 * a file. The result is independent of record order.
 */
export class VectorIndex extends SimilarityIndex {
  readonly #bands: Bands;
  readonly #sides: Int32Array;
  /** Concatenated plane normals; undefined without records. */
  #normals: Float32Array | undefined;
  #dimensions = 0;
  /** 48-bit hash of each record's group. */
  readonly #groups: number[] = [];
  readonly #answers: ReadonlySet<string>[] = [];

  constructor({ minCosine, spillFolder }: VectorIndexOptions) {
    const threshold = minCosine - ROUNDING;
    const bands = chooseBands(1 - Math.acos(threshold) / Math.PI, MAX_BITS);
    super(bands, threshold, spillFolder);
    this.#bands = bands;
    this.#sides = new Int32Array(bands.bands * bands.rows);
  }

  /** Adds a record. */
  add({ id, vector, quality, group, answers }: VectorRecord): void {
    this.#normals ??= this.#planesFor(vector.length);
    if (vector.length !== this.#dimensions)
      throw new RangeError(`record ${id}: ${vector.length} numbers where others have ${this.#dimensions}`);
    const unit = unitVector(vector);
    const groupBits = Number.parseInt(sha256Hex(group).slice(0, 12), 16);
    this.#groups.push(groupBits);
    this.#answers.push(answerSet(answers));
    this.#sketch(unit, this.#normals);
    this.#keepGroupsApart(groupBits | 0);
    this.addSketch(id, quality, this.#sides);
    this.spill.append(new Uint8Array(unit.buffer));
  }

  protected override similarityOf(a: number, b: number): number {
    const isOneGroup = this.#groups[a] === this.#groups[b];
    const mayBeOne = isOneGroup && !haveOtherAnswers(this.#answers[a]!, this.#answers[b]!);
    return mayBeOne ? this.#cosine(a, b) : 0;
  }

  #planesFor(dimensions: number): Float32Array {
    this.#dimensions = dimensions;
    return Float32Array.from({ length: dimensions * this.#sides.length }, (_, at) => nearlyNormal(at));
  }

  /**
   * Writes the side of each plane on which a vector lies, 1 or 0: random-hyperplane hashing (Charikar, STOC 2002), by
   * which two vectors agree in a bit with probability 1 - angle / pi. The planes are the same on every machine.
   */
  #sketch(vector: Float32Array, normals: Float32Array): void {
    for (let plane = 0, at = 0; plane < this.#sides.length; plane++) {
      let product = 0;
      for (let dimension = 0; dimension < vector.length; dimension++)
        product += vector[dimension]! * normals[at++]!;
      this.#sides[plane] = product >= 0 ? 1 : 0;
    }
  }

  /** Mixes the group into the first side of each band, so that groups have distinct keys. */
  #keepGroupsApart(group: number): void {
    const { bands, rows } = this.#bands;
    for (let band = 0; band < bands; band++) this.#sides[band * rows]! += group << 1;
  }

  #cosine(a: number, b: number): number {
    const [one, other] = [this.#read(a, 0), this.#read(b, 1)];
    let product = 0;
    for (let dimension = 0; dimension < one.length; dimension++)
      product += one[dimension]! * other[dimension]!;
    return Math.min(1, product);
  }

  #read(record: number, buffer: 0 | 1): Float32Array {
    const dimensions = this.#dimensions;
    const bytes = this.spilled(4 * record * dimensions, 4 * dimensions, buffer);
    return new Float32Array(bytes.buffer, bytes.byteOffset, dimensions);
  }
}

/** A copy of length 1. */
function unitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const length = Math.sqrt(squares);
  return vector.map((number) => number / length);
}

/** Mean sum of the four bytes of a hash. */
const meanSum = 510;

/** Sum of four uniform bytes, centred: close enough to normal to favour no direction. */
function nearlyNormal(place: number): number {
  const hash = mix32(Math.imul(place + 1, 0x9e3779b1));
  return (hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - meanSum;
}
