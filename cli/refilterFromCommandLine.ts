import { UserError } from '../base/userError.ts';
import type { StageName } from '../contract/stageTable.ts';
import { compareRuns } from '../operations/compareRuns.ts';
import { makeVariant } from '../operations/variant/makeVariant.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { compareLines } from './compareFromCommandLine.ts';
import { finishRun } from './finishRun.ts';
import { runnable } from './programCommand.ts';
import { checkedRunName } from './runArguments.ts';
import { withProgress } from './withProgress.ts';

interface RefilterOptions {
  readonly set?: readonly string[] | undefined;
  readonly name?: string;
  readonly until?: StageName;
  readonly json?: true;
}

/**
 * `coa-distill refilter RUN --set KEY=VALUE`: filters a run's records again with other settings, and prints the
 * changes.
 */
export async function refilterFromCommandLine(
  nameOrFolder: string,
  { set = [], name, until, json }: RefilterOptions,
): Promise<number> {
  const startedMs = performance.now();
  if (set.length === 0)
    throw new UserError(
      `refilter ${nameOrFolder}: expected --set KEY=VALUE such as filters.min_interactions.web=7, once or more`,
    );
  const from = await findRun(nameOrFolder);
  const result = await withProgress({}, (context) =>
    makeVariant({ ...context, from, set, until, name: name === undefined ? name : checkedRunName(name) }),
  );
  const exitCode = await finishRun(result, { json: json === true, startedMs });
  if (!json) console.log(runnable(['', ...compareLines(await compareRuns(from, result))].join('\n')));
  return exitCode;
}
