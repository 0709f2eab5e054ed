import { type CorpusStage, dropRecord } from '../../contract/stage.ts';
import type { TrajectoryDedupConfig } from '../../schemas/config/dedup.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { comparedQuestion } from './askedQuestion.ts';
import { createSemanticDedupStage, type SemanticSettings } from './createSemanticDedupStage.ts';
import { dropDuplicates } from './dropDuplicates.ts';
import type { IndexedRecord } from './index/duplicateIndex.ts';

interface TrajectoryDedupOptions {
  readonly config: TrajectoryDedupConfig;
  /** Where what memory has no room for goes. */
  readonly spillFolder: string;
}

/**
 * Drops trajectories that are nearly the same as one that stays: of each cluster the one with the best
 * `qualityScore`, of equals the one whose id stands first. What is compared is what a student learns to write, the
 * question and the model's segments: trajectories may well have read the same pages.
 */
export function createTrajectoryDedupStage(
  options: TrajectoryDedupOptions,
): CorpusStage<Trajectory, Trajectory> {
  const { config, spillFolder } = options;
  return {
    name: 'select',
    version: 2,
    input: trajectorySchema,
    output: trajectorySchema,
    run: (trajectories, { signal }) =>
      dropDuplicates(
        trajectories,
        {
          index: { shingle: config.shingle, threshold: config.min_jaccard, spillFolder },
          describe: describeTrajectory,
          drop: (_duplicate, evidence) => dropRecord('duplicate_trajectory', evidence),
        },
        signal,
      ),
  };
}

/** What of a trajectory is compared, and how good it is. */
function describeTrajectory(trajectory: Trajectory): IndexedRecord {
  const { id, profile, quality } = trajectory;
  const compared = comparedQuestion(trajectory, { text: comparedText(trajectory), profile });
  return { id, ...compared, quality: qualityScore(quality) };
}

function comparedText({ question, segments }: Trajectory): string {
  const written = segments.filter(({ origin }) => origin === 'model').map(({ text }) => text);
  return [question, ...written].join('\n');
}

/** Drops trajectories that say the same as a better one of their profile in other words. */
export function createSemanticTrajectoryStage(
  settings: SemanticSettings,
): CorpusStage<Trajectory, Trajectory> {
  return createSemanticDedupStage<Trajectory>({
    name: 'select',
    input: trajectorySchema,
    output: trajectorySchema,
    settings,
    reason: 'duplicate_trajectory',
    describe: (trajectory) => ({ ...describeTrajectory(trajectory), group: trajectory.profile }),
  });
}
