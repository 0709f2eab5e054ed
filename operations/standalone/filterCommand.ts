import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createFilterStage, type FilterStageOptions } from '../../stages/filter/createFilterStage.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import { BadRow } from './badRow.ts';
import type { ReadRow, RowDecision, RowIdentity, StreamingCommand } from './rowCommand.ts';
import { rowIdentity } from './rowId.ts';
import { type RowTrajectoryOptions, rowTrajectory } from './rowTrajectory.ts';

/** A row as the filter sees it. */
interface FilteredRow extends RowIdentity {
  /** Or why its text is no trajectory of its profile. */
  readonly trajectory: Trajectory | RowRefusal;
}

/** What {@link filterCommand} needs. */
export interface FilterCommandOptions extends RowTrajectoryOptions {
  readonly filter: FilterStageOptions;
  /** Told of each row on whose answer no judge has spoken, so that it can't be dropped as wrong. */
  readonly onUnjudged?: () => void;
}

/** Applies the filter's rules to each row. A row whose text does not parse has an invalid grammar. */
export function filterCommand(options: FilterCommandOptions): StreamingCommand<FilteredRow> {
  refuseMasking(options.filter.filters);
  const stage = createFilterStage(options.filter);
  const context = { signal: new AbortController().signal };
  return {
    kind: 'streaming',
    read(row) {
      const identity = rowIdentity(row);
      try {
        return { ...identity, trajectory: rowTrajectory(row, options) };
      } catch (error) {
        if (!(error instanceof RowRefusal)) throw error;
        if (error.path !== 'output') throw new BadRow(`${error.path}: ${error.message}`);
        return { ...identity, trajectory: error };
      }
    },
    async decide({ record: { trajectory } }: ReadRow<FilteredRow>): Promise<RowDecision> {
      if (trajectory instanceof RowRefusal) {
        const { code, message } = trajectory;
        return { kind: 'drop', reason: 'invalid_grammar', evidence: { code, message } };
      }
      if (!trajectory.quality.verdicts.some(({ subject }) => subject === 'answer')) options.onUnjudged?.();
      try {
        const outcome = await stage.run(trajectory, context);
        if (outcome.kind !== 'emit') return outcome;
        const sampling = outcome.records[0]?.sampling;
        return sampling === undefined ? { kind: 'keep' } : { kind: 'keep', sampling };
      } catch (error) {
        if (error instanceof RecordFailure) return { kind: 'fail', failure: error.failure };
        throw error;
      }
    },
  };
}

/** Rows leave as they came in, so nothing can be put in the place of a secret. */
function refuseMasking({ secrets }: FiltersConfig): void {
  if (secrets?.action !== 'mask') return;
  throw new UserError(
    'filters.secrets.action: mask would change rows, which leave as they came in; expected drop or flag',
  );
}
