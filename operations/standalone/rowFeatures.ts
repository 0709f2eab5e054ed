import { basename } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { type BalanceFeatures, trajectoryFeatures } from '../../stages/balance/balanceFeatures.ts';
import { rowId } from './rowId.ts';
import { numberIn, qualityColumn } from './rowNumber.ts';
import { profileOfText, type RowTrajectoryOptions, rowTrajectory } from './rowTrajectory.ts';
import { rowTrajectoryText, rowValue } from './rowValue.ts';
import type { SourceRow } from './sourceRow.ts';

const observation = '<observation>';

/**
 * What balancing looks at in a row. Trajectories say it themselves. Of other rows the profile is guessed from the tags,
 * the source is the column `source` or `data_source` or else the file, and `pass_rate` and `quality` are columns.
 */
export function rowFeatures(row: SourceRow, options: RowTrajectoryOptions): BalanceFeatures {
  const text = rowTrajectoryText(row);
  const value = rowValue(row);
  const source = sourceOf(value) ?? basename(row.file);
  // Ids that rows name may be those of other rows in other files.
  const id = rowId(row);
  if (text.layout === 'trajectory') {
    const features = trajectoryFeatures(rowTrajectory(row, options));
    return { ...features, id, source: features.source ?? source };
  }
  return {
    id,
    profile: profileOfText(text, options).name,
    source,
    passRate: numberIn(value, 'pass_rate', 0, 1),
    steps: text.text.split(observation).length - 1,
    length: text.text.length,
    quality: qualityColumn(value),
  };
}

function sourceOf({ source, data_source }: JsonObject): string | undefined {
  const named = source ?? data_source;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
