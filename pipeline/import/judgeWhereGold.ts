import type { Trajectory } from '../../schemas/trajectory.ts';
import { emit, type Identified, type RecordStage } from '../contract/stage.ts';
import type { PlannedStage } from '../run/plannedStage.ts';

/**
 * Published data often has no gold answers. Its trajectories pass the judge without a verdict, which is no label; those
 * that have an answer or tests are judged as usual.
 */
export function judgeWhereGold(planned: PlannedStage): PlannedStage {
  if (planned.kind !== 'record' || planned.stage.name !== 'judge') return planned;
  const judge = planned.stage;
  const stage: RecordStage<Identified, Identified> = {
    ...judge,
    run: async (record, context) =>
      hasGold(record as Trajectory) ? judge.run(record, context) : emit(record),
  };
  return { ...planned, stage };
}

function hasGold({ answers, tests }: Trajectory): boolean {
  return answers.length > 0 || tests !== undefined;
}
