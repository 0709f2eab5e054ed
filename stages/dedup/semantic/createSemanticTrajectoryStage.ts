import type { CorpusStage } from '../../../contract/stage.ts';
import type { StageName } from '../../../contract/stageTable.ts';
import { type Trajectory, trajectorySchema } from '../../../schemas/trajectory.ts';
import { describeTrajectory } from '../createTrajectoryDedupStage.ts';
import { createSemanticDedupStage, type SemanticSettings } from './createSemanticDedupStage.ts';

/** Drops trajectories that say the same as a better one of their profile in other words. */
export function createSemanticTrajectoryStage(
  name: StageName,
  settings: SemanticSettings,
): CorpusStage<Trajectory, Trajectory> {
  return createSemanticDedupStage<Trajectory>({
    name,
    input: trajectorySchema,
    output: trajectorySchema,
    settings,
    reason: 'duplicate_trajectory',
    describe: describeTrajectory,
  });
}
