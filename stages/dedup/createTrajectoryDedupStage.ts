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
  /** Folder of the temporary file that holds shingles and questions. */
  readonly spillFolder: string;
}

type TrajectoryStage = CorpusStage<Trajectory, Trajectory>;

const asTrajectories = { name: 'select', input: trajectorySchema, output: trajectorySchema } as const;

/**
 * Drops trajectories of the same question that are nearly the same as one that stays: of each cluster the one with the
 * best `qualityScore` stays, of equals the one whose id stands first. Compared are the question and the model's
 * segments, which a student learns to write: trajectories may well have read the same pages.
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

/** How duplicates by meaning are found. */
export interface SemanticSettings {
  readonly config: SemanticDedupConfig;
  /** Opens the model at the first text to embed. */
  readonly openModel: () => Promise<EmbeddingModel>;
  /** Folder of the temporary file that holds vectors. */
  readonly spillFolder: string;
}

/**
 * Drops trajectories that say the same as a better one of their profile in other words. Reads the records twice. One
 * whose text is empty or longer than `max_chars` is not compared and stays. When the model gives no embeddings the stage
 * ends with its error: nothing is let through unseen.
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

/** Trajectories that are compared, in batches of one request each. */
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
