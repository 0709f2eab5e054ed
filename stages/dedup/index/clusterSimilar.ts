import { mix32 } from '../shingles/mix32.ts';
import { type Contents, connectSimilar, Pause } from './connectSimilar.ts';

/** What became of each record, by its number. */
export interface DuplicateClusters {
  /** How many records there are. */
  readonly count: number;
  /** The record that stays for a record: itself where it stays. */
  readonly kept: Uint32Array;
  /** How many records its cluster has, itself included. */
  readonly clusterSize: Uint32Array;
  /**
   * Similarity with the record that stays. Below the threshold where the two are not near duplicates, but connected by
   * records that are.
   */
  readonly similarity: Float64Array;
}

/** Contents of records, and how similar they are. */
export interface ComparedContents extends Pick<Contents, 'count' | 'keys' | 'compare'> {
  /** How similar two contents are; worked out for each call. */
  similarityOf(a: number, b: number): number;
  /** Least similarity of near duplicates. */
  readonly threshold: number;
}

/**
 * Compares what is worth comparing, and chooses who stays.
 *
 * @param contentOf the content of each record
 * @throws the signal's reason when it is aborted
 */
export async function clusterSimilar(
  contents: ComparedContents,
  contentOf: Uint32Array,
  isBetter: IsBetter,
  signal: AbortSignal,
): Promise<DuplicateClusters> {
  const pause = new Pause(signal);
  const known = new KnownSimilarities(contents.count);
  const similarityOf = (a: number, b: number) =>
    a === b ? 1 : known.of(a, b, () => contents.similarityOf(a, b));
  const { count, keys, compare, threshold } = contents;
  const isSimilar = (a: number, b: number) => similarityOf(a, b) >= threshold;
  const sets = await connectSimilar({ count, keys, compare, isSimilar }, pause);
  const survivors = chooseSurvivors(
    contentOf.map((content) => sets.find(content)),
    isBetter,
  );
  const similarity = new Float64Array(contentOf.length);
  for (const [record, kept] of survivors.kept.entries()) {
    similarity[record] = similarityOf(contentOf[record]!, contentOf[kept]!);
    if (pause.isDue()) await pause.take();
  }
  return { ...survivors, similarity };
}

/** A survivor is better than another: of higher quality, or of the same and with an id that stands before. */
type IsBetter = (record: number, other: number) => boolean;

/**
 * Chooses the best record of each cluster.
 *
 * @param clusterOf - The cluster of each record, by any number below the count of records.
 */
function chooseSurvivors(
  clusterOf: Uint32Array,
  isBetter: IsBetter,
): Pick<DuplicateClusters, 'count' | 'kept' | 'clusterSize'> {
  const count = clusterOf.length;
  const best = new Uint32Array(count);
  const sizes = new Uint32Array(count);
  for (let record = 0; record < count; record++) {
    const cluster = clusterOf[record]!;
    if (sizes[cluster]!++ === 0 || isBetter(record, best[cluster]!)) best[cluster] = record;
  }
  return {
    count,
    kept: clusterOf.map((cluster) => best[cluster]!),
    clusterSize: clusterOf.map((cluster) => sizes[cluster]!),
  };
}

/** Most pairs remembered: 4 MB. */
const MAX_PAIRS = 1 << 18;

/** Remembers how similar pairs are, since most meet in several bands. A pair may be forgotten for another. */
class KnownSimilarities {
  readonly #mask: number;
  /** The lesser number of each pair and one, so that 0 means none; then the greater. */
  readonly #pairs: Uint32Array;
  readonly #similarities: Float64Array;

  /** @param count - How many contents there are. */
  constructor(count: number) {
    const pairs = Math.min(MAX_PAIRS, 2 ** Math.ceil(Math.log2(count + 1)));
    this.#mask = pairs - 1;
    this.#pairs = new Uint32Array(2 * pairs);
    this.#similarities = new Float64Array(pairs);
  }

  /** The similarity of a pair, which is worked out where it is not remembered. */
  of(a: number, b: number, workOut: () => number): number {
    const lesser = Math.min(a, b);
    const greater = Math.max(a, b);
    const place = mix32(lesser + Math.imul(greater, 0x9e3779b1)) & this.#mask;
    const isKnown = this.#pairs[2 * place] === lesser + 1 && this.#pairs[2 * place + 1] === greater;
    if (!isKnown) {
      this.#similarities[place] = workOut();
      this.#pairs[2 * place] = lesser + 1;
      this.#pairs[2 * place + 1] = greater;
    }
    return this.#similarities[place]!;
  }
}
