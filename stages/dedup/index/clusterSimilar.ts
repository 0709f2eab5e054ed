import { setImmediate } from 'node:timers/promises';
import type { BandKeys } from './bandKeys.ts';
import { LeaderTable } from './leaderTable.ts';

/** What became of each record, by its number. */
export interface DuplicateClusters {
  /** How many records there are. */
  readonly count: number;
  /** The record that stays for a record: itself where it stays. */
  readonly kept: Uint32Array;
  /** How many records its cluster has, itself included. */
  readonly clusterSize: Uint32Array;
  /** Similarity with the record that stays, never below the threshold. */
  readonly similarity: Float64Array;
}

/** Records that are compared. */
interface ComparedRecords {
  readonly count: number;
  readonly keys: BandKeys;
  /** Least similarity of near duplicates. */
  readonly threshold: number;
  /** Similarity of two records; 0 where nothing makes them duplicates. */
  similarityOf(record: number, other: number): number;
  /** Below 0 when the first record is to stay rather than the second; 0 for none but a record itself. */
  rank(record: number, other: number): number;
}

/** Records between two pauses. */
const RECORDS_BETWEEN_PAUSES = 256;

/**
 * Goes through the records from the best one on: a record that is near one that stays is dropped for it, for the best
 * such one, and any other stays. So every dropped record is near the one that stays, and of those that stay no two were
 * found near each other, whatever the order; doing it again with those that stay drops nothing.
 *
 * @throws the signal's reason when it is aborted
 */
export async function clusterSimilar(
  { count, keys, threshold, similarityOf, rank }: ComparedRecords,
  signal: AbortSignal,
): Promise<DuplicateClusters> {
  const kept = Uint32Array.from({ length: count }, (_, record) => record);
  const similarity = new Float64Array(count).fill(1);
  const clusterSize = new Uint32Array(count);
  const leaders = new LeaderTable(keys);
  for (const [at, record] of kept.slice().sort(rank).entries()) {
    if (at % RECORDS_BETWEEN_PAUSES === 0) await setImmediate();
    signal.throwIfAborted();
    for (const leader of leaders.near(record)) {
      const found = similarityOf(record, leader);
      if (found < threshold) continue;
      kept[record] = leader;
      similarity[record] = found;
      break;
    }
    if (kept[record] === record) leaders.add(record);
    clusterSize[kept[record]!]!++;
  }
  return { count, kept, similarity, clusterSize: kept.map((leader) => clusterSize[leader]!) };
}
