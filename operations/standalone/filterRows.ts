import { UserError } from '../../base/userError.ts';
import { dropRecord } from '../../contract/stage.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createFilterStage, type FilterStageOptions } from '../../stages/filter/createFilterStage.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import type { ReadRow, RowStage } from './rowStage.ts';
import { type RowTrajectoryOptions, rowTrajectory } from './rowTrajectory.ts';
import { BadRow, type SourceRow } from './sourceRow.ts';

interface FilterRowsOptions extends RowTrajectoryOptions {
  readonly filter: FilterStageOptions;
  /** Called for each row without a verdict, which can't be dropped as wrong. */
  readonly onUnjudged?: () => void;
}

/** Stage `filter` for rows. A row with unparsable text has an invalid grammar. */
export function filterRows(options: FilterRowsOptions): RowStage<Trajectory> {
  refuseMasking(options.filter.filters);
  return {
    kind: 'record',
    stage: createFilterStage(options.filter),
    read(row) {
      const read = readTrajectory(row, options);
      if ('record' in read && !hasVerdict(read.record)) options.onUnjudged?.();
      return read;
    },
  };
}

function readTrajectory(row: SourceRow, options: FilterRowsOptions): ReadRow<Trajectory> {
  try {
    return { record: rowTrajectory(row, options) };
  } catch (error) {
    if (!(error instanceof RowRefusal)) throw error;
    const { reason, path, code, message } = error;
    // A row without question or answer is unsupported, whatever its text.
    if (reason === 'unsupported_row') throw new BadRow(`${path}: ${message}`);
    return { outcome: dropRecord('invalid_grammar', { code, message }) };
  }
}

function hasVerdict({ quality }: Trajectory): boolean {
  return quality.verdicts.some(({ subject }) => subject === 'answer');
}

/** Rejects masking of secrets, since rows are written unchanged. */
function refuseMasking({ secrets }: FiltersConfig): void {
  if (secrets?.action !== 'mask') return;
  throw new UserError(
    'filters.secrets.action: mask would change rows, which leave as they came in; expected drop or flag',
  );
}
