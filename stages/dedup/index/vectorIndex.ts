import { grown } from '../../../base/grown.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { type Bands, chooseBands } from '../shingles/chooseBands.ts';
import { Hyperplanes } from '../shingles/hyperplanes.ts';
import { BandKeys } from './bandKeys.ts';
import { connectSimilar, Pause } from './connectSimilar.ts';
import { chooseSurvivors, type DuplicateClusters } from './duplicateClusters.ts';
import { KnownSimilarities } from './knownSimilarities.ts';
import { RecordIds } from './recordIds.ts';
import { ShingleFile } from './shingleFile.ts';

/** Most bits of a sketch: a bit tells less than a number of MinHash does, and costs no memory by itself. */
const MAX_BITS = 1024;
/** What 32 bits a number may take away from the cosine of equal directions. */
const ROUNDING = 1e-6;

/** How duplicates by meaning are found. */
export interface VectorIndexOptions {
  /** Least cosine of duplicates, above 0 and at most 1. */
  readonly minCosine: number;
  /** Where vectors go that memory has no room for, 4 bytes a number; what is written has no name. */
  readonly spillFolder: string;
}

/** A record by its vector. */
export interface VectorRecord {
  /** Unique. Of records of equal quality the one whose id stands first stays. */
  readonly id: string;
  /** Finite, not zero, and as long as all others. */
  readonly vector: Float32Array;
  readonly quality: number;
  /** Records of different groups are no duplicates of each other. */
  readonly group: string;
}

/** What became of each record, by its number; `cosines` are those with the record that stays. */
export interface VectorClusters extends Pick<DuplicateClusters, 'count' | 'kept' | 'clusterSize'> {
  readonly cosines: Float64Array;
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
  readonly #spill: ShingleFile;
  readonly #ids = new RecordIds();
  #planes: Hyperplanes | undefined;
  #dimensions = 0;
  #qualities = new Float64Array(1 << 8);
  /** 48 bits that stand for each record's group. */
  #groups = new Float64Array(1 << 8);
  #buffers: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  #count = 0;

  constructor({ minCosine, spillFolder }: VectorIndexOptions) {
    this.#minCosine = minCosine - ROUNDING;
    this.#shape = chooseBands(1 - Math.acos(this.#minCosine) / Math.PI, MAX_BITS);
    this.#keys = new BandKeys(this.#shape);
    this.#sides = new Int32Array(this.#shape.bands * this.#shape.rows);
    this.#spill = new ShingleFile(spillFolder);
  }

  /** The id of a record, by its number. */
  idOf(record: number): string {
    return this.#ids.at(record);
  }

  /** Adds a record; records are numbered from 0. */
  add({ id, vector, quality, group }: VectorRecord): void {
    this.#planes ??= this.#planesFor(vector.length);
    if (vector.length !== this.#dimensions)
      throw new RangeError(`record ${id}: ${vector.length} numbers where others have ${this.#dimensions}`);
    const record = this.#count++;
    const unit = unitVector(vector);
    this.#ids.add(id);
    this.#qualities = grown(this.#qualities, this.#count);
    this.#qualities[record] = quality;
    this.#groups = grown(this.#groups, this.#count);
    this.#groups[record] = Number.parseInt(sha256Hex(group).slice(0, 12), 16);
    this.#planes.sketch(unit, this.#sides);
    this.#keepGroupsApart(this.#groups[record]! | 0);
    this.#keys.add(this.#sides);
    this.#spill.append(new Int32Array(unit.buffer), unit.length);
  }

  /**
   * Compares what is worth comparing, and chooses who stays.
   *
   * @throws the signal's reason when it is aborted
   */
  async cluster(signal: AbortSignal): Promise<VectorClusters> {
    const pause = new Pause(signal);
    const known = new KnownSimilarities(this.#count);
    const cosineOf = (a: number, b: number) => known.of(a, b, () => this.#cosine(a, b));
    const sets = await connectSimilar(
      {
        count: this.#count,
        keys: this.#keys,
        isSimilar: (a, b) => this.#groups[a] === this.#groups[b] && cosineOf(a, b) >= this.#minCosine,
        compare: (a, b) => this.#ids.compare(a, b),
      },
      pause,
    );
    const clusterOf = Uint32Array.from({ length: this.#count }, (_, record) => sets.find(record));
    const survivors = chooseSurvivors(clusterOf, (record, other) => this.#isBetter(record, other));
    const cosines = new Float64Array(this.#count).fill(1);
    for (const [record, kept] of survivors.kept.entries()) {
      if (record !== kept) cosines[record] = cosineOf(record, kept);
      if (pause.isDue()) await pause.take();
    }
    return { ...survivors, cosines };
  }

  /** Gives the disk's space back. What {@link cluster} found stays good. */
  close(): void {
    this.#spill.close();
  }

  #planesFor(dimensions: number): Hyperplanes {
    this.#dimensions = dimensions;
    this.#buffers = [new Int32Array(dimensions), new Int32Array(dimensions)];
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
    const bits = this.#spill.read(record * dimensions, dimensions, this.#buffers[buffer]);
    return new Float32Array(bits.buffer, bits.byteOffset, dimensions);
  }

  #isBetter(record: number, other: number): boolean {
    const [quality, otherQuality] = [this.#qualities[record]!, this.#qualities[other]!];
    return quality === otherQuality ? this.#ids.compare(record, other) < 0 : quality > otherQuality;
  }
}

/** A copy of length 1. */
function unitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const length = Math.sqrt(squares);
  return vector.map((number) => number / length);
}
