import {
  DuplicateIndex,
  type DuplicateIndexOptions,
  type IndexedRecord,
} from '../../stages/dedup/index/duplicateIndex.ts';
import type { DuplicateClusters } from '../../stages/dedup/index/similarityIndex.ts';

const neverAborted = new AbortController().signal;

/** The clusters of records. */
export async function clustersOf(
  records: readonly IndexedRecord[],
  options: DuplicateIndexOptions,
): Promise<DuplicateClusters> {
  const index = new DuplicateIndex(options);
  for (const record of records) index.add(record);
  try {
    return await index.cluster(neverAborted);
  } finally {
    index.close();
  }
}

/** The ids of the records that stay, sorted. */
export async function survivorsOf(
  records: readonly IndexedRecord[],
  options: DuplicateIndexOptions,
): Promise<string[]> {
  const { kept } = await clustersOf(records, options);
  return records.flatMap(({ id }, place) => (kept[place] === place ? [id] : [])).sort();
}
