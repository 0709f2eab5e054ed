import { SpillFile } from '../../../base/files/spillFile.ts';
import { mix32 } from '../../../base/hash32.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { answerSet, haveOtherAnswers } from '../askedQuestion.ts';
import { BandKeys, type Bands, chooseBands } from './bandKeys.ts';
import { clusterSimilar, type DuplicateClusters, RankedRecords } from './clusterSimilar.ts';

/** Most bits of a sketch: a bit tells less than a number of MinHash does, and costs no memory by itself. */
const MAX_BITS = 1024;
/** What 32 bits a number may take away from the cosine of equal directions. */
const ROUNDING = 1e-6;

interface VectorIndexOptions {
  /** Least cosine of duplicates, above 0 and at most 1. */
  readonly minCosine: number;
  /** Where vectors go that memory has no room for, 4 bytes a number; what is written has no name. */
  readonly spillFolder: string;
}

export interface VectorRecord {
  /** Unique. Of records of equal quality the one whose id stands first stays. */
  readonly id: string;
  /** Finite, not zero, and as long as all others. */
  readonly vector: Float32Array;
  readonly quality: number;
  /** Records of different groups are not duplicates of each other. */
  readonly group: string;
  /** Gold answers; records that have none in common are not duplicates. Empty: not known. */
  readonly answers: readonly string[];
}

/**
 * Finds records of nearly the same direction. Candidates are those that lie on the same sides of random planes; each
 * pair is then compared by its cosine. Holds an id, a quality and 4 bytes a band (188 at 0.95) for each record; vectors
 * are spilled to a file. The result does not depend on the order of the records.
 */
export class VectorIndex {
  readonly #minCosine: number;
  readonly #shape: Bands;
  readonly #keys: BandKeys;
  readonly #sides: Int32Array;
  readonly #spill: SpillFile;
  readonly #records = new RankedRecords();
  #planes: Hyperplanes | undefined;
  #dimensions = 0;
  /** 48 bits that stand for each record's group. */
  readonly #groups: number[] = [];
  readonly #answers: ReadonlySet<string>[] = [];
  #buffers: [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] = [new Uint8Array(0), new Uint8Array(0)];

  constructor({ minCosine, spillFolder }: VectorIndexOptions) {
    this.#minCosine = minCosine - ROUNDING;
    this.#shape = chooseBands(1 - Math.acos(this.#minCosine) / Math.PI, MAX_BITS);
    this.#keys = new BandKeys(this.#shape);
    this.#sides = new Int32Array(this.#shape.bands * this.#shape.rows);
    this.#spill = new SpillFile(spillFolder);
  }

  idOf(record: number): string {
    return this.#records.idOf(record);
  }

  /** Adds a record; records are numbered from 0. */
  add({ id, vector, quality, group, answers }: VectorRecord): void {
    this.#planes ??= this.#planesFor(vector.length);
    if (vector.length !== this.#dimensions)
      throw new RangeError(`record ${id}: ${vector.length} numbers where others have ${this.#dimensions}`);
    const unit = unitVector(vector);
    const groupBits = Number.parseInt(sha256Hex(group).slice(0, 12), 16);
    this.#records.add(id, quality);
    this.#groups.push(groupBits);
    this.#answers.push(answerSet(answers));
    this.#planes.sketch(unit, this.#sides);
    this.#keepGroupsApart(groupBits | 0);
    this.#keys.add(this.#sides);
    this.#spill.append(new Uint8Array(unit.buffer));
  }

  /**
   * Compares what is worth comparing, and chooses who stays.
   *
   * @throws the signal's reason when it is aborted
   */
  cluster(signal: AbortSignal): Promise<DuplicateClusters> {
    return clusterSimilar(
      {
        count: this.#records.count,
        keys: this.#keys,
        threshold: this.#minCosine,
        similarityOf: (a, b) => (this.#mayBeOne(a, b) ? this.#cosine(a, b) : 0),
        rank: (a, b) => this.#records.rank(a, b),
      },
      signal,
    );
  }

  /** Gives the disk's space back. What {@link cluster} found stays good. */
  close(): void {
    this.#spill.close();
  }

  #mayBeOne(a: number, b: number): boolean {
    const isOneGroup = this.#groups[a] === this.#groups[b];
    return isOneGroup && !haveOtherAnswers(this.#answers[a]!, this.#answers[b]!);
  }

  #planesFor(dimensions: number): Hyperplanes {
    this.#dimensions = dimensions;
    this.#buffers = [new Uint8Array(4 * dimensions), new Uint8Array(4 * dimensions)];
    return new Hyperplanes(dimensions, this.#sides.length);
  }

  /** Adds a number of the group to the first side of each band, so that other groups have other keys. */
  #keepGroupsApart(group: number): void {
    const { bands, rows } = this.#shape;
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
    const bytes = this.#spill.read(4 * record * dimensions, 4 * dimensions, this.#buffers[buffer]);
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

/** What the four bytes of a hash add up to on average. */
const meanSum = 510;

/**
 * Random-hyperplane hashing (Charikar, STOC 2002): each bit says on which side of a plane through the origin a vector
 * lies, so that two vectors agree in it with probability 1 - angle / pi. The planes are the same on every machine.
 */
class Hyperplanes {
  readonly #dimensions: number;
  readonly #normals: Float32Array;

  constructor(dimensions: number, planes: number) {
    this.#dimensions = dimensions;
    this.#normals = Float32Array.from({ length: dimensions * planes }, (_, at) => nearlyNormal(at));
  }

  /** Writes to each place of `sides` 1 or 0. */
  sketch(vector: Float32Array, sides: Int32Array): void {
    const dimensions = this.#dimensions;
    for (let plane = 0, at = 0; plane < sides.length; plane++) {
      let product = 0;
      for (let dimension = 0; dimension < dimensions; dimension++)
        product += vector[dimension]! * this.#normals[at++]!;
      sides[plane] = product >= 0 ? 1 : 0;
    }
  }
}

/** A sum of four evenly distributed bytes about 0: near enough to a normal distribution to favour no direction. */
function nearlyNormal(place: number): number {
  const hash = mix32(Math.imul(place + 1, 0x9e3779b1));
  return (hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - meanSum;
}
