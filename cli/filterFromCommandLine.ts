import { existsSync, statSync } from 'node:fs';
import { UserError } from '../base/userError.ts';
import type { StageName } from '../contract/stageTable.ts';
import { compareRuns } from '../operations/compareRuns.ts';
import { findRun } from '../operations/findRun.ts';
import { makeVariant } from '../operations/variant/makeVariant.ts';
import { compareLines } from './compareFromCommandLine.ts';
import { finishRun } from './finishRun.ts';
import { runnable } from './programCommand.ts';
import { checkedRunName } from './runArguments.ts';
import type { ProfiledRowOptions } from './standalone/shapeRows.ts';
import { withProgress } from './withProgress.ts';

interface FilterRunOptions {
  /** `KEY=VALUE` each. */
  readonly set?: readonly string[] | undefined;
  readonly name?: string;
  /** Stops after this stage. */
  readonly until?: StageName;
  readonly json?: true;
}

/** `coa-distill filter RUN --set KEY=VALUE` and `coa-distill filter FILE... --out FILE`. Returns the exit code. */
export async function filterFromCommandLine(
  what: readonly string[],
  options: ProfiledRowOptions & FilterRunOptions,
): Promise<number> {
  if (options.out === undefined) return filterRun(onlyRun(what, options), options);
  const { filterFiles } = await import('./standalone/filterFiles.ts');
  await filterFiles(what, options);
  return 0;
}

/** The run that is named; a file needs `--out`, and options of files mean nothing for a run. */
function onlyRun([name = '', ...others]: readonly string[], options: ProfiledRowOptions): string {
  const foreign = (['ledger', 'config', 'profile'] as const).find((option) => options[option] !== undefined);
  if (foreign) throw new UserError(`--${foreign}: for files only; add --out FILE, or leave it out for a run`);
  const isFile = name === '-' || (existsSync(name) && statSync(name).isFile());
  if (others.length === 0 && !isFile) return name;
  throw new UserError(`filter ${[name, ...others].join(' ')}: expected --out FILE with files, or one run`);
}

/** Filters a run's records again by other settings, and prints what changed. */
async function filterRun(
  nameOrFolder: string,
  { set = [], name, until, json }: FilterRunOptions,
): Promise<number> {
  const startedMs = performance.now();
  if (set.length === 0)
    throw new UserError(
      `filter ${nameOrFolder}: expected --set KEY=VALUE such as filters.min_interactions.web=7, once or more`,
    );
  const from = await findRun(nameOrFolder);
  const result = await withProgress({}, (context) =>
    makeVariant({
      ...context,
      from,
      set,
      ...(until && { until }),
      ...(name !== undefined && { name: checkedRunName(name) }),
    }),
  );
  const exitCode = await finishRun(result, { json: json === true, startedMs });
  if (!json) console.log(runnable(['', ...compareLines(await compareRuns(from, result))].join('\n')));
  return exitCode;
}
