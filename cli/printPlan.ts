import { dollars } from '../base/figures.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { runFolderOf } from '../pipeline/executeRun.ts';
import { type loadRunConfig, withImport } from '../pipeline/import/importedRun.ts';
import { usualTokens } from '../pipeline/planCalls.ts';
import { plannedStages, planRun, type RunPlan } from '../pipeline/planRun.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import { describeStageState, type StageState } from '../pipeline/run/stageState.ts';
import { planSynthesis, type SynthesisPlan } from '../pipeline/synthesis/planSynthesis.ts';
import { listedPricesDate } from '../schemas/config/resolved/listedPrices.ts';
import { ANY_PROFILE } from '../schemas/config/target.ts';
import { asksEndpoint, playsAlone } from '../schemas/config/teacherBackends.ts';
import { formatCount, formatTable } from './format.ts';
import { checkedRunName, overridesOf, type RunCommandOptions } from './runArguments.ts';
import { fewTestsLines } from './summary.ts';

/** Prints what a run would do. Nothing is written, and no model or tool is asked. */
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
  // Rows that were imported stand in for tasks: there is nothing to solve.
  const plan = loaded.imported || loaded.synthesis ? undefined : await planRun(loaded, signal);
  const synthesis = loaded.synthesis && (await planSynthesis(loaded, signal));
  const lines = [
    ...stageLines(planned.stages),
    ...(plan ? planLines(plan) : []),
    ...(synthesis ? synthesisLines(synthesis) : []),
  ];
  const elsewhere = sameNameNotice(runFolderOf(configured, name), configFile);
  const missing = planned.missing.map((what) => `missing: ${what}`);
  if (options.json) console.log(JSON.stringify({ run: name, ...planned, ...plan, ...synthesis }));
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

function planLines(plan: RunPlan): string[] {
  const several = plan.tasks.some(({ tasks, rollouts }) => rollouts > tasks);
  return [
    `teacher  ${plan.teacher}${asksEndpoint({ backend: plan.teacher }) ? `, model ${plan.model}` : ''}`,
    '',
    ...formatTable([
      ['tasks of', 'profile', 'tasks', ...(several ? ['rollouts'] : []), 'model calls', 'tool calls'],
      ...plan.tasks.map((row) => [
        ...[row.file, row.profile, row.tasks, ...(several ? [`up to ${formatCount(row.rollouts)}`] : [])],
        ...[row.model_calls, row.tool_calls],
      ]),
    ]),
    '',
    `dropped: ${formatCount(plan.bad_tasks)} unusable rows${causesOf(plan)}, ${formatCount(plan.duplicate_questions)} duplicate questions${plan.contaminated === 0 ? '' : `, ${formatCount(plan.contaminated)} questions of benchmarks`}`,
    ...fewTestsLines(plan.tasks_by_tests),
    `about ${formatCount(plan.model_calls)} model calls and ${formatCount(plan.tool_calls)} tool calls: the usual number of interactions of each profile, ${callsOf(plan)}`,
    costLine(plan),
    ...probeLines(plan),
    ...judgeLines(plan),
    ...targetLines(plan),
  ];
}

function synthesisLines({ documents, roles, calls, cost_usd }: SynthesisPlan): string[] {
  const cost =
    cost_usd === null
      ? 'unknown, no price is known'
      : cost_usd === 0
        ? 'nothing'
        : `at most ${dollars(cost_usd)}`;
  return [
    `${formatCount(documents)} ${documents === 1 ? 'document' : 'documents'}`,
    '',
    ...formatTable([
      ['role', 'model', 'most calls'],
      ...roles.map(({ role, model, most_calls }) => [role, model, most_calls]),
    ]),
    '',
    `at most ${formatCount(calls)} calls, were each document to give all facts and no candidate dropped early; cost ${cost}`,
  ];
}

/** What is wrong with unusable rows, in brackets. */
export function causesOf({ bad_tasks_by_cause }: RunPlan): string {
  const causes = Object.entries(bad_tasks_by_cause).map(([cause, rows]) => `${formatCount(rows)} ${cause}`);
  return causes.length === 0 ? '' : ` (${causes.join(', ')})`;
}

function probeLines({ probe }: RunPlan): string[] {
  if (!probe) return [];
  const { model, tasks, model_calls, cost_usd, dropped } = probe;
  const known = dropped === 0 ? [] : [`probe: results leave out ${formatCount(dropped)} tasks`];
  if (model === null) return known;
  const cost = cost_usd === null ? 'unknown, no price is known of it' : `about ${dollars(cost_usd)}`;
  return [
    ...known,
    `probe: before that ${formatCount(model_calls)} calls of ${model} about ${formatCount(tasks)} tasks, cost ${cost}, at ${usualTokens.probe.prompt} prompt and ${formatCount(usualTokens.probe.completion)} answer tokens a call; which tasks it leaves out is not known yet, so the teacher's figures are the most`,
  ];
}

function judgeLines({ judge }: RunPlan): string[] {
  if (!judge) return [];
  const { model, model_calls, asked, cost_usd } = judge;
  const parts = [
    { calls: asked.answers, about: 'about answers' },
    { calls: asked.instructions, about: 'about instructions' },
    { calls: asked.comparisons, about: "about the best of a task's rollouts" },
  ].flatMap(({ calls, about }) => (calls > 0 ? [`${formatCount(calls)} ${about}`] : []));
  const cost = cost_usd === null ? 'unknown, no price is known of it' : `about ${dollars(cost_usd)}`;
  return [
    `judge: at most ${formatCount(model_calls)} calls of ${model} (${parts.join(', ')}), cost ${cost}, at ${formatCount(usualTokens.judge.prompt)} prompt and ${usualTokens.judge.completion} answer tokens a call`,
  ];
}

/** What a target makes of the plan: all tasks are the most that it can take. */
function targetLines({ target }: RunPlan): string[] {
  if (!target) return [];
  const { unit, wanted, first_window } = target;
  const parts = Object.entries(wanted).map(([key, amount]) => {
    const of = key === ANY_PROFILE ? '' : ` of ${key}`;
    return `${formatCount(amount)} ${unit}${of}, of which the first window takes ${formatCount(first_window[key]!)} tasks`;
  });
  return [
    `target: ${parts.join('; ')}. What is said above is of all tasks: the most that it can take; the first window's yield says how many it will be`,
  ];
}

function callsOf({ teacher, turns }: RunPlan): string {
  if (playsAlone({ backend: teacher })) return 'one call up to each tool call and one up to the answer';
  const choice = turns === 'apart' ? ' and one of the orchestrator where it has a choice' : '';
  return `one call an agent's turn${choice}`;
}

function costLine({ cost_usd, teacher, model, price_is_listed }: RunPlan): string {
  if (!asksEndpoint({ backend: teacher })) return 'cost: nothing, the teacher is embedded';
  if (cost_usd === null) return `cost: unknown, no price is known of ${model}; set its price for an estimate`;
  const source = price_is_listed ? `; the price is the one listed on ${listedPricesDate}` : '';
  return `cost: about ${dollars(cost_usd)}, at ${formatCount(usualTokens.teacher.prompt)} prompt and ${usualTokens.teacher.completion} answer tokens a call${source}`;
}
