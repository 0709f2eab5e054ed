import type { DuplicateClusters } from '../../stages/dedup/index/clusterSimilar.ts';
import {
  DuplicateIndex,
  type DuplicateIndexOptions,
  type IndexedRecord,
} from '../../stages/dedup/index/duplicateIndex.ts';

const neverAborted = new AbortController().signal;

/** The clusters of records that were spread over as many indexes as there are lists, then brought together. */
export async function clustersOf(
  shards: readonly (readonly IndexedRecord[])[],
  options: DuplicateIndexOptions,
): Promise<DuplicateClusters> {
  const [whole, ...others] = shards.map((records) => {
    const index = new DuplicateIndex(options);
    for (const record of records) index.add(record);
    return index;
  });
  for (const other of others) {
    whole!.absorb(other);
    other.close();
  }
  try {
    return await whole!.cluster(neverAborted);
  } finally {
    whole!.close();
  }
}

/** The ids of the records that stay, sorted. */
export async function survivorsOf(
  shards: readonly (readonly IndexedRecord[])[],
  options: DuplicateIndexOptions,
): Promise<string[]> {
  const { kept } = await clustersOf(shards, options);
  const records = shards.flat();
  return records.flatMap(({ id }, place) => (kept[place] === place ? [id] : [])).sort();
}
