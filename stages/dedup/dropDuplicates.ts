import type { JsonObject } from '../../base/json.ts';
import {
  type CorpusOutcome,
  decideEach,
  emitRecord,
  type Identified,
  type StageOutcome,
} from '../../contract/stage.ts';
import { questionDedupSchema } from '../../schemas/config/dedup.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { comparedQuestion } from './askedQuestion.ts';
import { DuplicateIndex, type DuplicateIndexOptions, type IndexedRecord } from './index/duplicateIndex.ts';
import type { SimilarityIndex } from './index/similarityIndex.ts';

/** A record that does not stay, and the one that stays for it: places among those compared, from 0. */
interface ComparedPlaces {
  readonly place: number;
  readonly keptPlace: number;
}

interface Duplicate extends ComparedPlaces {
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
 * Lets one record of each cluster of duplicates through, see {@link keepBest}. Reads the records twice: to compare them,
 * then to decide.
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
    const questionAt = (place: number) => index.askedBy(place)?.question ?? '';
    const drop = (places: ComparedPlaces, evidence: JsonObject) =>
      rules.drop({ ...places, questionAt }, evidence);
    yield* keepBest(records, index, { measure: 'jaccard', drop }, signal);
  } finally {
    index.close();
  }
}

/** What is decided by an index of records. */
interface KeepRules<R> {
  /** What evidence calls the similarity. */
  readonly measure: 'jaccard' | 'cosine';
  /** Whether a record is in the index; absent: all are. */
  readonly isCompared?: (record: R) => boolean;
  drop(places: ComparedPlaces, evidence: JsonObject): StageOutcome<R>;
}

/**
 * Lets the best record of each cluster through. Evidence names the record that stays, how like it the dropped one is and
 * the size of the cluster.
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
    const evidence = {
      kept_id: index.idOf(keptPlace),
      [measure]: Math.round(similarity[place]! * 1e4) / 1e4,
      cluster_size: clusterSize[place]!,
    };
    return drop({ place, keptPlace }, evidence);
  });
  if (compared !== count) throw new Error(`${count} records were read at first, ${compared} the second time`);
}

/** What of a trajectory tells which tasks ask the same. */
export type AskedTask = Pick<Trajectory, 'task_id' | 'question'>;

/**
 * Finds tasks that ask the same or nearly the same, whatever their profiles, by the defaults of `dedup.questions`. Gives
 * the id that stands for a cluster, its first, by task; tasks that stand for themselves are left out. The result does
 * not depend on the order of the trajectories.
 *
 * @param spillFolder - Where what memory has no room for goes.
 */
export async function clusterTasks(
  trajectories: AsyncIterable<AskedTask>,
  spillFolder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { shingle, min_jaccard: threshold } = questionDedupSchema.parse({});
  const index = new DuplicateIndex({ shingle, threshold, spillFolder });
  try {
    for await (const { task_id: id, question } of trajectories) {
      signal.throwIfAborted();
      // Other gold answers don't count: a question is learned whatever its answer.
      index.add({ id, ...comparedQuestion({ question, answers: [] }) });
    }
    const { kept, count } = await index.cluster(signal);
    const clusters = new Map<string, string>();
    for (let place = 0; place < count; place++) {
      const [task, first] = [index.idOf(place), index.idOf(kept[place]!)];
      if (task !== first) clusters.set(task, first);
    }
    return clusters;
  } finally {
    index.close();
  }
}
