import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { BalanceFeatures } from '../../stages/balance/balanceFeatures.ts';
import { type BalanceSettings, balanceRecords } from '../../stages/balance/createBalanceStage.ts';
import { rowFeatures } from './rowFeatures.ts';
import { rowIdentity } from './rowId.ts';
import type { RowRecord, RowStage } from './rowStage.ts';
import type { RowTrajectoryOptions } from './rowTrajectory.ts';

/** A row as balancing sees it. */
interface BalancedRow extends RowRecord {
  readonly features: BalanceFeatures;
}

/** What {@link balanceRows} needs. */
export interface BalanceRowsOptions extends RowTrajectoryOptions, Pick<BalanceSettings, 'config' | 'seed'> {
  /** Told the counts before and after. */
  readonly onCounts: (table: BalanceTable) => void;
}

/** The stage `balance` on rows: keeps as many of each group as the rules allow. */
export function balanceRows(options: BalanceRowsOptions): RowStage<BalancedRow> {
  const { config, seed } = options;
  const onCounts = async (table: BalanceTable) => options.onCounts(table);
  const featuresOf = ({ features }: BalancedRow) => features;
  return {
    kind: 'corpus',
    isStreaming: false,
    stage: {
      run: (rows, { signal }) => balanceRecords(rows, { config, seed, onCounts, featuresOf }, signal),
    },
    read: (row) => ({ record: { ...rowIdentity(row), features: rowFeatures(row, options) } }),
  };
}
