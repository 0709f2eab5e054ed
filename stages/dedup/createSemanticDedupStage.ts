import { type CorpusOutcome, type CorpusStage, dropRecord, type Identified } from '../../contract/stage.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import type { SemanticDedupConfig } from '../../schemas/config/dedup.ts';
import type { DropReason } from '../../schemas/dropReasons.ts';
import { keepBest } from './dropDuplicates.ts';
import type { IndexedRecord } from './index/duplicateIndex.ts';
import { VectorIndex } from './index/vectorIndex.ts';

/** How duplicates by meaning are told. */
export interface SemanticSettings {
  readonly config: SemanticDedupConfig;
  /** Opens the model once there is something to ask. */
  readonly openModel: () => Promise<EmbeddingModel>;
  /** Where what memory has no room for goes. */
  readonly spillFolder: string;
}

/** Which records are compared by meaning, and how. */
interface SemanticDedupOptions<R extends Identified>
  extends Pick<CorpusStage<R, R>, 'name' | 'input' | 'output'> {
  readonly settings: SemanticSettings;
  readonly reason: DropReason;
  /** What of a record is compared. */
  describe(record: R): IndexedRecord;
}

/**
 * Lets one record of each cluster of the same meaning through: the one of the highest quality, of equals the one whose
 * id stands first. Reads the records twice. A record whose text is empty or longer than `max_chars` is compared with
 * none and stays. When the model gives no embeddings the stage ends with its error: nothing is let through unseen.
 */
export function createSemanticDedupStage<R extends Identified>(
  options: SemanticDedupOptions<R>,
): CorpusStage<R, R> {
  const { name, input, output } = options;
  return {
    name,
    version: 2,
    input,
    output,
    run: (records, { signal }) => dropSame(records, options, signal),
  };
}

async function* dropSame<R extends Identified>(
  records: AsyncIterable<R>,
  { settings, describe, reason }: SemanticDedupOptions<R>,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<R>> {
  const { config, spillFolder } = settings;
  const index = new VectorIndex({ minCosine: config.min_cosine, spillFolder });
  try {
    for await (const batch of batches(records, describe, config)) {
      signal.throwIfAborted();
      const model = await settings.openModel();
      const texts = batch.map(({ text }) => text);
      const vectors = await model.embed(texts, signal);
      for (const [at, { id, quality = 0, group = '', asked }] of batch.entries())
        index.add({ id, quality, group, answers: asked?.answers ?? [], vector: vectors[at]! });
    }
    yield* keepBest(
      records,
      index,
      {
        measure: 'cosine',
        isCompared: (record) => isCompared(describe(record), config),
        drop: (_places, evidence) => dropRecord(reason, evidence),
      },
      signal,
    );
  } finally {
    index.close();
  }
}

function isCompared({ text }: IndexedRecord, { max_chars }: SemanticDedupConfig): boolean {
  return text.length <= max_chars && text.trim() !== '';
}

/** Records that are compared, as many at a time as a request takes. */
async function* batches<R>(
  records: AsyncIterable<R>,
  describe: (record: R) => IndexedRecord,
  config: SemanticDedupConfig,
): AsyncGenerator<readonly IndexedRecord[]> {
  let batch: IndexedRecord[] = [];
  for await (const record of records) {
    const described = describe(record);
    if (isCompared(described, config)) batch.push(described);
    if (batch.length < config.batch_size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
