import { printable } from '../base/printable.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { estimateRun, knownEstimate, type WorkEstimate } from '../pipeline/estimate/estimateWork.ts';
import { runFolderOf } from '../pipeline/executeRun.ts';
import { type loadRunConfig, withImport } from '../pipeline/import/importedRun.ts';
import { plannedStages, planRun, type RunPlan } from '../pipeline/planRun.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import { describeStageState, type StageState } from '../pipeline/run/stageState.ts';
import { type MixSurvey, surveyMix } from '../pipeline/stages/openExport.ts';
import { ANY_PROFILE } from '../schemas/config/target.ts';
import { asksEndpoint } from '../schemas/config/teacherBackends.ts';
import { groundingAdvice } from '../schemas/groundingCounts.ts';
import { countDocuments, estimateSynthesis } from '../synthesis/estimateSynthesis.ts';
import { estimateLines } from './estimateLines.ts';
import { formatCount, formatTable } from './format.ts';
import { checkedRunName, overridesOf, type RunCommandOptions } from './runArguments.ts';
import { fewTestsLines } from './summary.ts';

/** Prints the plan of a run. Writes nothing and calls no models or tools. */
export async function printPlan(
  configFile: string,
  options: RunCommandOptions,
  load: typeof loadRunConfig,
): Promise<void> {
  loadDotEnv(configFile);
  const configured = await load(configFile, overridesOf(options), options.name);
  const name = checkedRunName(options.name ?? configured.name);
  const loaded = await withImport(configured, runFolderOf(configured, name));
  const { from, until, offline = false } = options;
  const planned = await plannedStages({ loaded, name, env: process.env, offline, from, until });
  const { signal } = new AbortController();
  // Imported rows replace tasks, so nothing is solved.
  const plan = loaded.imported || loaded.synthesis ? undefined : await planRun(loaded, signal);
  const documents = loaded.synthesis && (await countDocuments(loaded, signal));
  const mix = loaded.synthesis ? undefined : await surveyMix(loaded);
  const folder = runFolderOf(configured, name);
  const estimate = plan
    ? await knownEstimate(() => estimateRun(plan.tasks, folder, loaded.config, true))
    : documents
      ? await knownEstimate(() =>
          estimateSynthesis(documents, folder, loaded.config.synthesize!.seeds.candidates),
        )
      : undefined;
  const lines = [
    ...stageLines(planned.stages),
    ...(plan ? planLines(plan) : []),
    ...(documents ? [`${formatCount(documents)} ${documents === 1 ? 'document' : 'documents'}`] : []),
    ...(mix ?? []).flatMap(mixLines),
    ...(plan || documents ? planEstimateLines(estimate, name, plan ? 'tasks' : 'candidates') : []),
  ];
  const elsewhere = sameNameNotice(folder, configFile);
  const missing = planned.missing.map((what) => `missing: ${what}`);
  if (options.json)
    console.log(
      JSON.stringify({
        ...{ run: name, ...planned, ...plan },
        ...(mix && { mix }),
        ...(documents && { documents }),
        ...(estimate && { estimate }),
      }),
    );
  else
    console.log(
      [...lines, ...missing, ...(elsewhere === undefined ? [] : [elsewhere]), 'nothing was written'].join(
        '\n',
      ),
    );
}

function stageLines(states: readonly StageState[]): string[] {
  return [
    ...formatTable([['stage', 'state'], ...states.map((state) => [state.stage, describeStageState(state)])]),
    '',
  ];
}

function mixLines({ file, rows_read, usable, left_out, not_read }: MixSurvey): string[] {
  const unread = Object.entries(not_read).map(([name, rows]) => `${name} in ${formatCount(rows)}`);
  const lines = [
    `mix: ${file}: ${formatCount(usable)} of ${formatCount(rows_read)} rows can be mixed in, those that are too long aside${unread.length > 0 ? `; not read: ${unread.join(', ')}` : ''}`,
    ...Object.entries(left_out).map(
      ([reason, { rows, first }]) => `  left out: ${formatCount(rows)} ${reason}, first ${first}`,
    ),
  ];
  return lines.map(printable);
}

function planLines(plan: RunPlan): string[] {
  const several = plan.tasks.some(({ tasks, rollouts }) => rollouts > tasks);
  return [
    `teacher  ${plan.teacher}${asksEndpoint({ backend: plan.teacher }) ? `, model ${plan.model}` : ''}`,
    '',
    ...formatTable([
      ['tasks of', 'profile', 'tasks', ...(several ? ['rollouts'] : [])],
      ...plan.tasks.map((row) => [
        ...[row.file, row.profile, row.tasks, ...(several ? [`up to ${formatCount(row.rollouts)}`] : [])],
      ]),
    ]),
    '',
    `dropped: ${formatCount(plan.bad_tasks)} unusable rows${causesOf(plan)}, ${formatCount(plan.duplicate_questions)} duplicate questions${plan.contaminated === 0 ? '' : `, ${formatCount(plan.contaminated)} questions of benchmarks`}`,
    ...fewTestsLines(plan.tasks_by_tests),
    ...unknownLines(plan.unknown_answers),
    ...(plan.probed_out ? [`probe: results leave out ${formatCount(plan.probed_out)} tasks`] : []),
    ...targetLines(plan),
  ];
}

/** Warning about answers that searches cannot find. */
function unknownLines(found: RunPlan['unknown_answers']): string[] {
  if (!found || found.unknown === 0) return [];
  const { unknown, tasks, corpus } = found;
  return [
    `UNGROUNDED: ${formatCount(unknown)} of ${formatCount(tasks)} answers occur in no passage of ${corpus}: ${unknown * 2 > tasks ? groundingAdvice : 'no search can find them'}`,
  ];
}

export function causesOf({ bad_tasks_by_cause }: RunPlan): string {
  const causes = Object.entries(bad_tasks_by_cause).map(([cause, rows]) => `${formatCount(rows)} ${cause}`);
  return causes.length === 0 ? '' : ` (${causes.join(', ')})`;
}

function targetLines({ target }: RunPlan): string[] {
  if (!target) return [];
  const { unit, wanted, first_window } = target;
  const parts = Object.entries(wanted).map(([key, amount]) => {
    const of = key === ANY_PROFILE ? '' : ` of ${key}`;
    return `${formatCount(amount)} ${unit}${of}, of which the first window takes ${formatCount(first_window[key]!)} tasks`;
  });
  return [`target: ${parts.join('; ')}`];
}

/** Estimate of a plan, or the way to get one. */
export function planEstimateLines(
  estimate: WorkEstimate | undefined,
  name: string,
  of: 'tasks' | 'candidates',
): string[] {
  if (estimate) return ['', ...estimateLines(estimate, name, of)];
  const few = of === 'tasks' ? '--limit 20' : '--set synthesize.seeds.candidates=50';
  return [
    `cost and time: unknown before some ${of} have ended; try some with ${few} --name try, then: coa-distill forecast --from-run try`,
  ];
}
