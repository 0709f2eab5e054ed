import type { Sandbox } from '../../pipeline/contract/sandbox.ts';
import { emit, type RecordStage } from '../../pipeline/contract/stage.ts';
import type { JudgeConfig } from '../../schemas/config/filters.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { judgeAnswer } from './judgeAnswer.ts';

/** What {@link createJudgeStage} needs. */
export interface JudgeOptions {
  readonly config: JudgeConfig;
  /** Where programs are tested; without one they fail as `sandbox_unavailable`. */
  readonly sandbox?: Sandbox;
  /** Trajectories judged at once. */
  readonly concurrency: number;
}

/**
 * Adds a verdict on the final answer to each trajectory. Drops nothing: a judge that can't decide fails the record
 * and is never a label.
 */
export function createJudgeStage({
  config,
  sandbox,
  concurrency,
}: JudgeOptions): RecordStage<Trajectory, Trajectory> {
  return {
    name: 'judge',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    concurrency,
    async run(trajectory, { signal }) {
      const verdict = await judgeAnswer(trajectory, { config, sandbox, signal });
      const { quality } = trajectory;
      return emit({ ...trajectory, quality: { ...quality, verdicts: [...quality.verdicts, verdict] } });
    },
  };
}
