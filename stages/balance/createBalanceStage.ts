import { type CorpusOutcome, type CorpusStage, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { BalanceConfig } from '../../schemas/config/balance.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { type Trajectory, type TrajectorySampling, trajectorySchema } from '../../schemas/trajectory.ts';
import { trajectoryFeatures } from './balanceFeatures.ts';
import { BalancePlan } from './balancePlan.ts';

/** What {@link createBalanceStage} needs. */
export interface BalanceStageOptions {
  readonly config: BalanceConfig;
  /** Of the choice among records of equal quality. */
  readonly seed: number;
  /** Told the counts before and after, once they are known and before the first outcome. */
  readonly onCounts?: (table: BalanceTable) => Promise<void>;
}

/**
 * Keeps as many records of each group as the rules allow, the best of each, and notes which are to be repeated or
 * weighed. Reads its input twice: first to count, then to hand on.
 */
export function createBalanceStage({
  config,
  seed,
  onCounts,
}: BalanceStageOptions): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'balance',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories, { signal }) {
      const plan = new BalancePlan(config, seed);
      for await (const trajectory of trajectories) {
        signal.throwIfAborted();
        plan.add(trajectoryFeatures(trajectory));
      }
      plan.decide();
      await onCounts?.(plan.counts());
      let index = 0;
      for await (const trajectory of trajectories) {
        signal.throwIfAborted();
        yield outcomeOf(trajectory, index++, plan);
      }
      if (index !== plan.size) throw new Error(`balance read ${plan.size} records first, then ${index}`);
    },
  };
}

function outcomeOf(trajectory: Trajectory, index: number, plan: BalancePlan): CorpusOutcome<Trajectory> {
  const decision = plan.decisionOf(index);
  const outcome =
    decision.kind === 'drop'
      ? dropRecord('over_quota', decision.evidence)
      : emitRecord(withSampling(trajectory, decision.sampling));
  return { index, recordId: trajectory.id, taskId: trajectory.task_id, outcome };
}

function withSampling(trajectory: Trajectory, sampling: TrajectorySampling | undefined): Trajectory {
  if (sampling === undefined) return trajectory;
  return { ...trajectory, sampling: mergeSampling(trajectory.sampling, sampling) };
}

/** What two stages ask for together: repeats and weights multiply. */
function mergeSampling(
  before: TrajectorySampling | undefined,
  added: TrajectorySampling,
): TrajectorySampling {
  if (before === undefined) return added;
  return {
    repeats: before.repeats * added.repeats,
    weight: before.weight * added.weight,
    reasons: [...before.reasons, ...added.reasons],
  };
}
