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

/** A record as it is compared. */
export interface ComparedRecord extends AskedQuestion {
  /** Unique. Of records of equal quality the one whose id stands first stays. */
  readonly id: string;
  /** Text that must be nearly the same, where the questions are the same. */
  readonly text: string;
  /** The record of the highest quality stays. */
  readonly quality: number;
}

/** How records are compared, and the outcome of duplicates. */
interface DuplicateRules<R> {
  readonly index: DuplicateIndexOptions;
  describe(record: R): ComparedRecord;
  /** The outcome of a record that does not stay. */
  drop(evidence: JsonObject): StageOutcome<R>;
}

/**
 * Lets one record of each cluster of duplicates through, see {@link keepBest}: records of the same question whose texts
 * are nearly the same. Reads the records twice: to compare them, then to decide.
 */
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

/** What is decided by an index of records. */
interface KeepRules<R> {
  /** The similarity's name in evidence. */
  readonly measure: 'jaccard' | 'cosine';
  /** Whether a record is in the index; absent: all are. */
  readonly isCompared?: (record: R) => boolean;
  drop(evidence: JsonObject): StageOutcome<R>;
}

/**
 * Lets the best record of each cluster through. Evidence names the record that stays, the similarity of the dropped one
 * and the size of the cluster.
 *
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
