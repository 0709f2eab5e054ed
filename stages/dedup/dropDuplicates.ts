import type { JsonObject } from '../../base/json.ts';
import {
  type CorpusOutcome,
  decideEach,
  emitRecord,
  type Identified,
  type StageOutcome,
} from '../../contract/stage.ts';
import { DuplicateIndex, type DuplicateIndexOptions } from './index/duplicateIndex.ts';
import type { SimilarityIndex } from './index/similarityIndex.ts';
import { type AskedQuestion, QuestionIndex } from './questionIndex.ts';

/** A record prepared for comparison. */
export interface ComparedRecord extends AskedQuestion {
  /** Unique. Ties in quality keep the smaller id. */
  readonly id: string;
  /** Text compared among records with the same question. */
  readonly text: string;
  /** The record of the highest quality stays. */
  readonly quality: number;
}

/** Comparison of records, and the outcome of duplicates. */
interface DuplicateRules<R> {
  readonly index: DuplicateIndexOptions;
  describe(record: R): ComparedRecord;
  /** Outcome of a dropped record. */
  drop(evidence: JsonObject): StageOutcome<R>;
}

export async function* dropDuplicates<R extends Identified>(
  records: AsyncIterable<R>,
  { index: options, describe, drop }: DuplicateRules<R>,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<R>> {
  const index = new DuplicateIndex(options);
  const questions = new QuestionIndex(options.spillFolder);
  try {
    for await (const record of records) {
      signal.throwIfAborted();
      const { id, text, quality, ...asked } = describe(record);
      index.add({ id, text, quality, group: `${questions.findOrAdd(asked).number}` });
    }
    questions.close();
    yield* keepBest(records, index, { measure: 'jaccard', drop }, signal);
  } finally {
    questions.close();
    index.close();
  }
}

/** Rules of deduplication by an index. */
interface KeepRules<R> {
  /** Name of the similarity in evidence. */
  readonly measure: 'jaccard' | 'cosine';
  /** True if a record is in the index; absent: all are. */
  readonly isCompared?: (record: R) => boolean;
  drop(evidence: JsonObject): StageOutcome<R>;
}

/**
 * Keeps the best record of each cluster. Evidence names the kept record, the similarity and the cluster's size.
 * @throws Error when the records can't be read a second time
 */
export async function* keepBest<R extends Identified>(
  records: AsyncIterable<R>,
  index: SimilarityIndex,
  { measure, isCompared = () => true, drop }: KeepRules<R>,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<R>> {
  const { kept, similarity, clusterSize, count } = await index.cluster(signal);
  let compared = 0;
  yield* decideEach(records, (record) => {
    signal.throwIfAborted();
    if (!isCompared(record)) return emitRecord(record);
    const place = compared++;
    const keptPlace = kept[place]!;
    if (keptPlace === place) return emitRecord(record);
    return drop({
      kept_id: index.idOf(keptPlace),
      [measure]: Math.round(similarity[place]! * 1e4) / 1e4,
      cluster_size: clusterSize[place]!,
    });
  });
  if (compared !== count) throw new Error(`${count} records were read at first, ${compared} the second time`);
}
