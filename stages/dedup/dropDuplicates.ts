import type { JsonObject } from '../../base/json.ts';
import {
  type CorpusOutcome,
  decideEach,
  emitRecord,
  type Identified,
  type StageOutcome,
} from '../../contract/stage.ts';
import { DuplicateIndex, type DuplicateIndexOptions, type IndexedRecord } from './index/duplicateIndex.ts';

/** A record that does not stay, and the one that stays for it. */
interface Duplicate {
  /** Places among the inputs, from 0. */
  readonly place: number;
  readonly keptPlace: number;
  /** What the record at a place asks; empty where it was compared by its text alone. */
  questionAt(place: number): string;
}

/** How records are compared, and what becomes of duplicates. */
export interface DuplicateRules<R> {
  readonly index: DuplicateIndexOptions;
  /** What of a record is compared. */
  describe(record: R): IndexedRecord;
  /** The outcome of a record that does not stay. */
  drop(duplicate: Duplicate, evidence: JsonObject): StageOutcome<R>;
}

/**
 * Lets one record of each cluster of duplicates through, the best one. Reads the records twice: to compare them, then
 * to decide. Evidence names the record that stays, how like it the dropped one is and the size of the cluster.
 *
 * @throws Error when the records can't be read a second time
 */
export async function* dropDuplicates<R extends Identified>(
  records: AsyncIterable<R>,
  rules: DuplicateRules<R>,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<R>> {
  const index = new DuplicateIndex(rules.index);
  try {
    for await (const record of records) {
      signal.throwIfAborted();
      index.add(rules.describe(record));
    }
    const { kept, similarity, clusterSize, count } = await index.cluster(signal);
    const questionAt = (place: number) => index.askedBy(place)?.question ?? '';
    const again = yield* decideEach(records, (record, place) => {
      const keptPlace = kept[place]!;
      const evidence = {
        kept_id: index.idOf(keptPlace),
        jaccard: Math.round(similarity[place]! * 1e4) / 1e4,
        cluster_size: clusterSize[place]!,
      };
      return keptPlace === place
        ? emitRecord(record)
        : rules.drop({ place, keptPlace, questionAt }, evidence);
    });
    if (again !== count) throw new Error(`${count} records were read at first, ${again} the second time`);
  } finally {
    index.close();
  }
}
