import {
  type CorpusOutcome,
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type Identified,
} from '../../contract/stage.ts';
import type { BalanceConfig } from '../../schemas/config/balance.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { type Trajectory, type TrajectorySampling, trajectorySchema } from '../../schemas/trajectory.ts';
import { type BalanceFeatures, BalancePlan, trajectoryFeatures } from './balancePlan.ts';

export interface BalanceSettings {
  readonly config: BalanceConfig;
  /** Seed for choices among records of equal quality. */
  readonly seed: number;
  /** Called with the counts before and after, ahead of the first outcome. */
  readonly onCounts?: (table: BalanceTable) => Promise<void>;
}

/** Balances trajectories, see {@link balanceRecords}. */
export function createBalanceStage(settings: BalanceSettings): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'balance',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    run: (trajectories, { signal }) =>
      balanceRecords(trajectories, { ...settings, featuresOf: trajectoryFeatures }, signal),
  };
}

type BalancedRecord = Identified & { readonly sampling?: TrajectorySampling | undefined };

/**
 * Keeps as many records per group as the rules allow, the best of each, and marks those to repeat or weight. Reads
 * its input twice: first to count, then to emit.
 */
export async function* balanceRecords<T extends BalancedRecord>(
  records: AsyncIterable<T>,
  {
    config,
    seed,
    onCounts,
    featuresOf,
  }: BalanceSettings & { readonly featuresOf: (record: T) => BalanceFeatures },
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<T>> {
  const plan = new BalancePlan(config, seed);
  for await (const record of records) {
    signal.throwIfAborted();
    plan.add(featuresOf(record));
  }
  plan.decide();
  await onCounts?.(plan.counts());
  const again = yield* decideEach(records, (record, index) => {
    signal.throwIfAborted();
    const decision = plan.decisionOf(index);
    return decision.kind === 'drop'
      ? dropRecord('over_quota', decision.evidence)
      : emitRecord(withSampling(record, decision.sampling));
  });
  if (again !== plan.size) throw new Error(`balance read ${plan.size} records first, then ${again}`);
}

function withSampling<T extends BalancedRecord>(record: T, sampling: TrajectorySampling | undefined): T {
  if (sampling === undefined) return record;
  return { ...record, sampling: mergeSampling(record.sampling, sampling) };
}

/** Combines sampling of two stages: repeats and weights multiply. */
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
