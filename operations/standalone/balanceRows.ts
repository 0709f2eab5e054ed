import { basename } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { type BalanceFeatures, trajectoryFeatures } from '../../stages/balance/balancePlan.ts';
import { type BalanceSettings, balanceRecords } from '../../stages/balance/createBalanceStage.ts';
import type { RowRecord, RowStage } from './rowStage.ts';
import { profileOfText, type RowTrajectoryOptions, rowTrajectory } from './rowTrajectory.ts';
import {
  numberIn,
  qualityColumn,
  rowId,
  rowIdentity,
  rowSaid,
  rowValue,
  type SourceRow,
} from './sourceRow.ts';

interface BalancedRow extends RowRecord {
  readonly features: BalanceFeatures;
}

interface BalanceRowsOptions extends RowTrajectoryOptions, Pick<BalanceSettings, 'config' | 'seed'> {
  /** Receives the counts before and after. */
  readonly onCounts: (table: BalanceTable) => void;
}

/** Stage `balance` for rows: limits each group by the rules. */
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

const observation = '<observation>';

/**
 * Features for balancing. Trajectories contain them. For other rows the profile is guessed from the tags, the source is
 * the column `source` or `data_source`, otherwise the file, and `pass_rate` and `quality` are columns.
 */
function rowFeatures(row: SourceRow, options: RowTrajectoryOptions): BalanceFeatures {
  const { format, text: written } = rowSaid(row, 'one_answer');
  const text = written ?? '';
  const value = rowValue(row);
  const source = sourceOf(value) ?? basename(row.file);
  // Rows of different files may have equal ids.
  const id = rowId(row);
  if (format === 'trajectory') {
    const features = trajectoryFeatures(rowTrajectory(row, options));
    return { ...features, id, source: features.source ?? source };
  }
  return {
    id,
    profile: profileOfText(row, options).name,
    source,
    passRate: numberIn(value, 'pass_rate', 0, 1),
    steps: text.split(observation).length - 1,
    length: text.length,
    quality: qualityColumn(value),
  };
}

function sourceOf({ source, data_source }: JsonObject): string | undefined {
  const named = source ?? data_source;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
