import type { JsonObject } from '../../base/json.ts';
import { type CorpusOutcome, type CorpusStage, dropRecord } from '../../contract/stage.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import type { SemanticDedupConfig, TrajectoryDedupConfig } from '../../schemas/config/dedup.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { type ComparedRecord, dropDuplicates, keepBest } from './dropDuplicates.ts';
import { VectorIndex } from './index/vectorIndex.ts';

interface TrajectoryDedupOptions {
  readonly config: TrajectoryDedupConfig;
  /** Directory for spilled shingles and questions. */
  readonly spillFolder: string;
}

type TrajectoryStage = CorpusStage<Trajectory, Trajectory>;

const asTrajectories = { name: 'select', input: trajectorySchema, output: trajectorySchema } as const;

/**
 * Drops near duplicates among trajectories of the same question: each cluster keeps the best `qualityScore`, ties the
 * smaller id. Compares the question and the model's segments, which a student learns: trajectories may share the
 * pages they read.
 */
export function createTrajectoryDedupStage({ config, spillFolder }: TrajectoryDedupOptions): TrajectoryStage {
  const index = { shingle: config.shingle, threshold: config.min_jaccard, spillFolder };
  const drop = (evidence: JsonObject) => dropRecord('duplicate_trajectory', evidence);
  return {
    ...asTrajectories,
    version: 3,
    run: (trajectories, { signal }) =>
      dropDuplicates(trajectories, { index, describe: describeTrajectory, drop }, signal),
  };
}

function describeTrajectory(trajectory: Trajectory): ComparedRecord {
  const { id, profile, question, answers, quality, segments } = trajectory;
  const written = segments.filter(({ origin }) => origin === 'model').map(({ text }) => text);
  const text = [question, ...written].join('\n');
  return { id, question, answers, group: profile, text, quality: qualityScore(quality) };
}

/** Settings of semantic deduplication. */
export interface SemanticSettings {
  readonly config: SemanticDedupConfig;
  readonly openModel: () => Promise<EmbeddingModel>;
  /** Directory for spilled vectors. */
  readonly spillFolder: string;
}

/**
 * Drops trajectories that paraphrase a better one of their profile. Reads the records twice. Empty texts and those
 * longer than `max_chars` are not compared and stay. If the model returns no embeddings the stage fails: nothing
 * passes uncompared.
 */
export function createSemanticTrajectoryStage(settings: SemanticSettings): TrajectoryStage {
  return {
    ...asTrajectories,
    version: 2,
    run: (trajectories, { signal }) => dropSame(trajectories, settings, signal),
  };
}

async function* dropSame(
  trajectories: AsyncIterable<Trajectory>,
  { config, openModel, spillFolder }: SemanticSettings,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<Trajectory>> {
  const index = new VectorIndex({ minCosine: config.min_cosine, spillFolder });
  try {
    for await (const batch of batches(trajectories, config)) {
      signal.throwIfAborted();
      const model = await openModel();
      const vectors = await model.embed(
        batch.map(({ text }) => text),
        signal,
      );
      for (const [at, { id, quality, group = '', answers = [] }] of batch.entries())
        index.add({ id, quality, group, answers, vector: vectors[at]! });
    }
    yield* keepBest(
      trajectories,
      index,
      {
        measure: 'cosine',
        isCompared: (trajectory) => isCompared(describeTrajectory(trajectory), config),
        drop: (evidence) => dropRecord('duplicate_trajectory', evidence),
      },
      signal,
    );
  } finally {
    index.close();
  }
}

function isCompared({ text }: ComparedRecord, { max_chars }: SemanticDedupConfig): boolean {
  return text.length <= max_chars && text.trim() !== '';
}

async function* batches(
  trajectories: AsyncIterable<Trajectory>,
  config: SemanticDedupConfig,
): AsyncGenerator<readonly ComparedRecord[]> {
  let batch: ComparedRecord[] = [];
  for await (const trajectory of trajectories) {
    const described = describeTrajectory(trajectory);
    if (isCompared(described, config)) batch.push(described);
    if (batch.length < config.batch_size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
