import { UserError } from '../../base/userError.ts';
import { type StageName, stagesWhere } from '../../contract/stageTable.ts';

/**
 * Refuses `--from` and `--until` with a stage that the run does not have.
 *
 * @throws UserError
 */
export function refuseAbsentStage(
  stages: readonly { readonly stage: StageName }[],
  asked: { readonly from?: StageName | undefined; readonly until?: StageName | undefined },
): void {
  const names = stages.map(({ stage }) => stage);
  const optional = stagesWhere(({ askedBy }) => askedBy !== undefined);
  for (const [option, stage] of Object.entries(asked)) {
    if (stage === undefined || names.includes(stage)) continue;
    throw new UserError(
      `--${option} ${stage}: the run has no such stage; its stages are ${names.join(', ')} (${optional.join(', ')} are there where the configuration asks for them)`,
    );
  }
}
